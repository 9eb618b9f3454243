"""Write all that follows from the code: public names, tables of pages, the catalogue of the command line.

    python tools/regenerate.py              # write what is stale
    python tools/regenerate.py --check      # write nothing; name what is stale, and exit with 1
    python tools/regenerate.py --pictures   # draw the pictures of the displays and of the home page as well
    python tools/regenerate.py --pictures CutoffDisplay   # draw the picture of this display as well

Each part is a module in `tools/generated`. Numbers of benchmarks are not among them; they have commands of their own.
"""

import argparse
import importlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Modules in `generated`. The names come first: without them the package, which the others import, may not be whole.
PARTS = ("names", "formats", "catalogue", "displays", "measures", "formulas", "guide", "readme")
DISPLAYS, HOME_PAGE = "docs/display_plots.py", "docs/overview_plot.py"


def stale(part):
    """Return the files of a part that are not what the code says, by path their texts as they should be."""
    files = importlib.import_module(f"generated.{part}").files()
    return {path: text for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text}


def complaint(part):
    """Return one sentence on what is stale in a part; an empty text if nothing is."""
    names = ", ".join(path.relative_to(ROOT).as_posix() for path in stale(part))
    return names and f"{names} must follow from the code and do not ({part}). Run python tools/regenerate.py."


def main(argv=None):
    """Write or check the parts; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and exit with 1 if anything is stale")
    words = "draw the committed pictures, too: all, or those of some displays"
    parser.add_argument("--pictures", nargs="*", metavar="DISPLAY", help=words)
    args = parser.parse_args(argv)
    complaints = []
    for part in PARTS:
        if args.check:
            complaints += filter(None, [complaint(part)])
            continue
        for path, text in stale(part).items():
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(ROOT).as_posix()}")
    if args.pictures is not None and not args.check:
        for command in [[DISPLAYS, *args.pictures]] if args.pictures else [[DISPLAYS], [HOME_PAGE]]:
            subprocess.run([sys.executable, *command], check=True, cwd=ROOT)
    print("\n".join(complaints), end="\n" * bool(complaints), file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
