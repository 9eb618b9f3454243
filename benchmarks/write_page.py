"""Run the commands of docs/performance.md again and write what they print below each.

python benchmarks/write_page.py [part of a command ...]; without parts all of them, which takes half an hour. Run
it on a quiet machine.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
BLOCK = re.compile(r"```console\n\$ python (.+)\n(?:.*\n)*?```\n")


def output_of(command):
    """The output of a command, without trailing blanks."""
    print(command, flush=True)
    call = [sys.executable, *command.split()]
    output = subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return "\n".join(line.rstrip() for line in output.splitlines())


def main(parts):
    """Rewrite the page after each command, so that earlier results are kept if a later command fails."""
    commands = [match[1] for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    for command in commands:
        if parts and not any(part in command for part in parts):
            continue
        block = f"```console\n$ python {command}\n{output_of(command)}\n```\n"
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            BLOCK.sub(lambda match, one=command, new=block: new if match[1] == one else match[0], text),
            encoding="utf-8",
        )

    # README.md quotes some of them.
    subprocess.run([sys.executable, "tools/readme_tables.py"], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
