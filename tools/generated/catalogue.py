"""Generate the output of `skrankagg methods` and `skrankagg measures` as text files, which can be printed fast."""

from skrankagg._command_line._method_names import list_methods
from skrankagg.metrics import measure_names
from skrankagg.utils.discovery import all_aggregators

from .pages import ROOT

FOLDER = ROOT / "skrankagg" / "_command_line"


def measures():
    """Return a line for each measure."""
    return "\n".join(measure_names()) + "\n"


def files():
    """Return the texts of the files, by path."""
    return {FOLDER / "methods.txt": list_methods(all_aggregators()), FOLDER / "measures.txt": measures()}
