"""Run the commands of docs/performance.md again and write what they print below each.

python tests/benchmarks/write_page.py [part of a command ...]; without parts all of them, which takes half an hour. Run
it on a quiet machine.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
BLOCK = re.compile(r"```console\n\$ python (.+)\n(?:.*\n)*?```\n")


def rerun(match):
    """Give the block with what its command prints now."""
    command = match[1]
    if sys.argv[1:] and not any(part in command for part in sys.argv[1:]):
        return match[0]
    print(command, flush=True)
    output = subprocess.run(
        [sys.executable, *command.split()], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    lines = "\n".join(line.rstrip() for line in output.splitlines())
    return f"```console\n$ python {command}\n{lines}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(BLOCK.sub(rerun, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
