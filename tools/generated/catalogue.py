"""Generate the output of `skrankagg methods` and `skrankagg measures` as text files, which can be printed fast."""

from skrankagg.metrics import measure_names
from skrankagg.utils.discovery import all_aggregators, describe

from .pages import ROOT

FOLDER = ROOT / "skrankagg" / "_command_line"


def methods():
    """Return two lines for each method: the name with a summary, and the parameters with their defaults."""
    aggregators = all_aggregators()
    width = max(map(len, aggregators))
    lines = []
    for name, aggregator in aggregators.items():
        params = [f"{key}={value!r}" for key, value in aggregator().get_params(deep=False).items()]
        lines += [f"{name:{width}}  {describe(aggregator)}", f"{'':{width}}  {', '.join(params) or 'no parameters'}"]
    return "\n".join(lines) + "\n"


def measures():
    """Return a line for each measure."""
    return "\n".join(measure_names()) + "\n"


def files():
    """Return the texts of the files, by path."""
    return {FOLDER / "methods.txt": methods(), FOLDER / "measures.txt": measures()}
