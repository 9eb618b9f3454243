"""Run the commands of docs/performance.md and docs/evidence.md again, and write the output below each command.

python benchmarks/write_page.py [part of a command ...]; without parts, all commands run. This takes an hour, and two
more hours for judged_collections.py, which keeps its results. Use a machine without other work. Commands on real data
need the folder of the data in the environment variable SKRANKAGG_DATA.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "docs" / "performance.md", ROOT / "docs" / "evidence.md"]
BLOCK = re.compile(r"```console\n\$ python (.+)\n(?:.*\n)*?```\n")


def output_of(command):
    """Return the output of a command, without trailing blanks."""
    print(command, flush=True)
    call = [sys.executable, *shlex.split(os.path.expandvars(command))]
    output = subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return "\n".join(line.rstrip() for line in output.splitlines())


def main(parts):
    """Rewrite a page after each command, so that earlier results are kept if a later command fails."""
    for page in PAGES:
        for command in [match[1] for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]:
            if parts and not any(part in command for part in parts):
                continue
            block = f"```console\n$ python {command}\n{output_of(command)}\n```\n"
            text = page.read_text(encoding="utf-8")
            page.write_text(
                BLOCK.sub(lambda match, one=command, new=block: new if match[1] == one else match[0], text),
                encoding="utf-8",
            )

    # README.md quotes some of the numbers.
    subprocess.run([sys.executable, "tools/regenerate.py"], cwd=ROOT, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="parts of commands; default: all commands")
    main(parser.parse_args().parts)
