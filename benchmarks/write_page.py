"""Run the commands of docs/performance.md on an idle machine, and write the output below each command.

    python benchmarks/write_page.py --plain PLAIN/bin/python --arena ARENA/bin/python --cache FOLDER

This takes about 20 minutes on two processors. Each measured table is kept in FOLDER, so a later call with the same
FOLDER continues where this call ended. A kept table is measured again if the package or its script has changed since.
`--only PART ...` runs the commands that contain one of the parts. `--long` also runs the commands that measure memory,
which take ten more minutes; `--only memory_limit` runs these alone, and the machine may then be busy.
`--page evidence` runs the commands of docs/evidence.md, which takes hours. Most of these commands need the folder of
the real data in the environment variable SKRANKAGG_DATA.

The environments are made by these commands in the folder of the project; arena-rank needs an older NumPy, so it has an
environment of its own:

    .venv/bin/python -m pip install -e ".[test,bench]" evalica choix
    python3 -m venv PLAIN && PLAIN/bin/python -m pip install -e . pytrec-eval-terrier rankops evalica choix
    python3 -m venv ARENA && ARENA/bin/python -m pip install -e . arena-rank evalica arenakit

If a library is missing, its cells or rows state this. Below each table of the performance page stand the commit that
was measured, the date, and a digest of the scripts. A test fails if a script has changed after its table was measured.
"""

import argparse
import contextlib
import datetime
import hashlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

import performance_page as page_tool
from _measure import read_tables, table

ROOT = page_tool.ROOT
EVIDENCE = ROOT / "docs" / "evidence.md"
EVIDENCE_BLOCK = re.compile(r"```console\n\$ python (.+)\n(?:.*\n)*?```\n")
#: Commands that run only with --long or if --only names them: they take minutes and measure memory, so the machine
#: may be busy.
LONG = ("memory_limit.py",)
#: Commands that read the other tables of the page, so they run last and are never kept.
DERIVED = "summary.py"
_CHECK = """
import importlib.util, json, skrankagg
from skrankagg import _kernels
found = [importlib.util.find_spec("pyarrow") is not None, _kernels.COMPILED, skrankagg.__file__]
print(json.dumps(found))
"""


def git(*arguments):
    """Return the output of a command of Git."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def check_environment(name, python, arrow):
    """End with a message if an environment cannot measure the page; `arrow` states whether it must have pyarrow."""
    has_arrow, compiled, path = json.loads(
        subprocess.run([python, "-c", _CHECK], check=True, capture_output=True).stdout
    )
    if arrow is not None and has_arrow != arrow:
        state = "with" if arrow else "without"
        raise SystemExit(
            f"{name} must be the Python of an environment {state} pyarrow; got {python}. Give another one."
        )
    if not compiled or Path(path).resolve().parents[1] != ROOT:
        raise SystemExit(
            f"{name} must have the compiled package of {ROOT}; got {path}, compiled: {compiled}. "
            "Install it with `-m pip install -e .`."
        )


def output_of(command, environment, limit=None):
    """Return the output of a command, without blanks at the ends of lines, and the seconds that it took.

    After `limit` seconds, the command and its child processes are ended.
    """
    words = [os.path.expandvars(word) for word in shlex.split(command)]
    if words[0] == "python":
        words[0] = sys.executable
    start = time.perf_counter()
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            printed, _ = process.communicate(timeout=limit)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise RuntimeError(f"it took more than {limit} s") from None
            raise
    if process.returncode:
        raise RuntimeError(f"it ended with code {process.returncode}")
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    if not lines:
        raise RuntimeError("it printed nothing")
    return "\n".join(lines) + "\n", time.perf_counter() - start


def shorten(output):
    """Shorten each cell that states why a method refuses its input to "refused", so that all columns stay visible."""
    parts = re.split(r"\n\n", output)
    for number, part in enumerate(parts):
        if "  refused: " in part:
            (found,) = read_tables(part)
            rows = [
                [cell.partition(": ")[0] if cell.startswith("refused: ") else cell for cell in row]
                for row in found.rows
            ]
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                if found.title:
                    print(found.title)
                table(rows, found.header)
            parts[number] = printed.getvalue().rstrip("\n") + "\n" * part.endswith("\n")
    return "\n\n".join(parts)


class Cache:
    """Measured tables in a folder, one file for each command; without a folder, nothing is kept."""

    def __init__(self, folder):
        self.folder = folder and Path(folder)
        self.state = {"package": git("rev-parse", "HEAD:skrankagg"), "processor": os.cpu_count()}
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)

    def _path(self, command):
        name = re.sub(r"\W+", "_", command.replace("benchmarks/", ""))[:60]
        return self.folder / f"{name}-{hashlib.sha256(command.encode()).hexdigest()[:6]}.json"

    def find(self, command):
        """Return the kept output and note of a command, or None if there are none for this code."""
        if self.folder is None or DERIVED in command or not self._path(command).exists():
            return None
        kept = json.loads(self._path(command).read_text(encoding="utf-8"))
        same = kept["state"] == self.state and kept["digest"] == page_tool.digest_of(command)
        return (kept["output"], kept["note"]) if same else None

    def keep(self, command, digest, output, note):
        """Write the output and the note of a command to the folder."""
        if self.folder:
            found = {"command": command, "state": self.state, "digest": digest, "output": output, "note": note}
            self._path(command).write_text(json.dumps(found, indent=1), encoding="utf-8")


def chosen(commands, only, with_long):
    """Return the commands that contain a part of `only`, or all except the long ones; derived commands are last."""
    if only:
        commands = [one for one in commands if DERIVED in one or any(part in one for part in only)]
    elif not with_long:
        commands = [one for one in commands if not any(part in one for part in LONG)]
    return sorted(commands, key=lambda one: DERIVED in one)


def measure_page(commands, cache, environment, limit=None):
    """Run commands and rewrite the page after each of them; return a dict from each failed command to the reason."""
    failed, commit, today = {}, git("rev-parse", "--short=8", "HEAD"), datetime.date.today().isoformat()
    begun = time.perf_counter()
    for command in commands:
        kept = cache.find(command)
        if kept is None:
            digest = page_tool.digest_of(command)
            try:
                output, seconds = output_of(command, environment, limit)
            except RuntimeError as error:
                failed[command] = str(error)
                print(f"FAILED  {command}: {error}", flush=True)
                continue
            kept = output, page_tool.note_of(command, commit, today)
            cache.keep(command, digest, *kept)
            print(f"{seconds:5.0f} s of {time.perf_counter() - begun:5.0f} s  {command}", flush=True)
        else:
            print(f"   kept  {command}", flush=True)
        text = page_tool.PAGE.read_text(encoding="utf-8")
        page_tool.PAGE.write_text(page_tool.write_block(text, command, shorten(kept[0]), kept[1]), encoding="utf-8")
    return failed


def write_evidence(only, environment):
    """Rewrite the page of evidence after each command, so that earlier results are kept if a later command fails."""
    for command in [match[1] for match in EVIDENCE_BLOCK.finditer(EVIDENCE.read_text(encoding="utf-8"))]:
        if only and not any(part in command for part in only):
            continue
        print(command, flush=True)
        block = f"```console\n$ python {command}\n{output_of(f'python {command}', environment)[0]}```\n"
        text = EVIDENCE.read_text(encoding="utf-8")
        EVIDENCE.write_text(
            EVIDENCE_BLOCK.sub(lambda match, one=command, new=block: new if match[1] == one else match[0], text),
            encoding="utf-8",
        )


def write_performance(options):
    """Measure the performance page; return whether all chosen commands have succeeded."""
    commands = chosen(
        [block.command for block in page_tool.read_blocks(page_tool.PAGE.read_text(encoding="utf-8"))],
        options.only,
        options.long,
    )
    if options.list:
        print("\n".join(commands))
        return True
    if git("status", "--porcelain", "--", "skrankagg", "benchmarks"):
        raise SystemExit("The page states the measured commit, but skrankagg or benchmarks has changes. Commit them.")
    if any("$PLAIN_PYTHON" in one for one in commands):
        if options.plain is None:
            raise SystemExit("`--plain` must be the Python of an environment without pyarrow; it is missing. Give it.")
        check_environment("`--plain`", options.plain, False)
        check_environment("This Python", sys.executable, True)
    if options.arena and any("$ARENA_PYTHON" in one for one in commands):
        check_environment("`--arena`", options.arena, None)
    if (load := os.getloadavg()[0]) > 0.5:
        print(f"Warning: other programs use the machine; the load is {load:.1f}. Times are then too long.", flush=True)
    os.environ["PLAIN_PYTHON"] = options.plain or "-"
    os.environ["ARENA_PYTHON"] = options.arena or sys.executable
    failed = measure_page(commands, Cache(options.cache), os.environ.copy(), options.limit)
    for command, reason in failed.items():
        print(f"not measured: {command}: {reason}")
    return not failed


def main():
    """Read the options, measure a page, and update the files that quote it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", help="the Python of the environment without pyarrow")
    parser.add_argument("--arena", help="the Python of the environment with arena-rank; default: this Python")
    parser.add_argument("--cache", help="a folder for measured tables; a later call continues with them")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="parts of commands; default: all")
    parser.add_argument("--long", action="store_true", help="also run the commands that take long")
    parser.add_argument("--limit", type=float, default=900, help="seconds allowed for each command")
    parser.add_argument("--list", action="store_true", help="print the commands that would run, and run nothing")
    parser.add_argument("--page", choices=("performance", "evidence"), default="performance")
    options = parser.parse_args()
    if options.page == "evidence":
        write_evidence(options.only, os.environ.copy())
    elif not write_performance(options):
        sys.exit(1)
    # README.md quotes some of the numbers.
    if not options.list:
        subprocess.run([sys.executable, "tools/regenerate.py"], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
