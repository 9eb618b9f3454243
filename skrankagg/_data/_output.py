"""Early check for the libraries that the output of an estimator needs, as requested with ``set_output``."""

import importlib.util

import numpy as np

from .._support._sklearn import output_format
from ..exceptions import MissingLibraryError
from ._ranked_lists import check_lists


def check_output(estimator, X, *, with_voters=False):
    """Raise MissingLibraryError if an estimator must return polars frames, but polars or pyarrow is missing.

    `X` contains the ranked lists. `with_voters` is true if the output has a column of voters.
    """
    if output_format(estimator) != "polars":
        return
    missing = [name for name in ("polars", "pyarrow") if importlib.util.find_spec(name) is None]
    if not missing:
        return
    if missing == ["pyarrow"]:
        lists = check_lists(X)
        columns = [lists.queries, lists.items, *([lists.voters] if with_voters else [])]
        if all(_is_plain(ids.dtype) for ids in columns):
            return  # polars does not need pyarrow for columns of NumPy's numbers
    raise MissingLibraryError(
        f"transform='polars' returns polars frames, which need polars and pyarrow for these ids; "
        f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing. Install with pip install "
        f"{' '.join(missing)}, or call set_output(transform='pandas')."
    )


def _is_plain(dtype):
    return isinstance(dtype, np.dtype) and dtype.kind in "iufb"
