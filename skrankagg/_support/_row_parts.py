"""Parts of the rows of a table, as the folds of a cross-validation take them."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

__all__ = ["take_rows", "take_rows_of_params", "to_table"]


def to_table(X):
    """A table whose rows can be taken: frames, arrays and sparse matrices stay what they are, but for their layout."""
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def take_rows(values, rows):
    """Some rows of a table or elements of a vector, of any kind that scikit-learn takes; None stays None."""
    return None if values is None else _safe_indexing(values, rows)


def take_rows_of_params(params, rows, n_rows):
    """The same of those parameters of ``fit`` that have a value for each row; the others stay as they are."""
    return {
        name: take_rows(value, rows) if hasattr(value, "__len__") and _length(value) == n_rows else value
        for name, value in params.items()
    }


def _length(value):
    return value.shape[0] if getattr(value, "shape", ()) else (0 if isinstance(value, str) else len(value))
