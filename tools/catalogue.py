"""Write the output of `skrankagg methods` and `skrankagg measures` as text files, so that printing it is fast.

python tools/catalogue.py writes them.
"""

from pathlib import Path

from skrankagg.metrics import measure_names
from skrankagg.utils.discovery import all_aggregators, describe

FOLDER = Path(__file__).resolve().parents[1] / "skrankagg" / "_command_line"


def methods():
    """List two lines for each method: its name and description, its parameters and their defaults."""
    aggregators = all_aggregators()
    width = max(map(len, aggregators))
    lines = []
    for name, aggregator in aggregators.items():
        params = [f"{key}={value!r}" for key, value in aggregator().get_params(deep=False).items()]
        lines += [f"{name:{width}}  {describe(aggregator)}", f"{'':{width}}  {', '.join(params) or 'no parameters'}"]
    return "\n".join(lines) + "\n"


def measures():
    """List a line for each measure."""
    return "\n".join(measure_names()) + "\n"


#: The function that writes each file.
FILES = {"methods.txt": methods, "measures.txt": measures}


if __name__ == "__main__":
    for name, text in FILES.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")
