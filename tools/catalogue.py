"""What `skrankagg methods` and `skrankagg measures` print, as text files, so that nothing heavy is loaded for it.

python tools/catalogue.py writes them.
"""

from pathlib import Path

from skrankagg.metrics import measure_names
from skrankagg.utils.discovery import all_aggregators, describe

FOLDER = Path(__file__).resolve().parents[1] / "skrankagg" / "_command_line"


def methods():
    """Two lines for each method: its name and what it does, its parameters and their defaults."""
    aggregators = all_aggregators()
    width = max(map(len, aggregators))
    lines = []
    for name, aggregator in aggregators.items():
        params = [f"{key}={value!r}" for key, value in aggregator().get_params(deep=False).items()]
        lines += [f"{name:{width}}  {describe(aggregator)}", f"{'':{width}}  {', '.join(params) or 'no parameters'}"]
    return "\n".join(lines) + "\n"


def measures():
    """A line for each measure."""
    return "\n".join(measure_names()) + "\n"


#: What each file holds.
FILES = {"methods.txt": methods, "measures.txt": measures}


if __name__ == "__main__":
    for name, text in FILES.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")
