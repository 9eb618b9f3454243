"""Selection of rows of a table, for example for the folds of a cross-validation."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing


def to_table(X):
    """Convert `X` to a table whose rows can be selected.

    Frames and arrays stay unchanged; sparse matrices become CSR matrices.
    """
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def take_rows(values, rows):
    """Select rows of a table or elements of a vector; None stays None.

    Every type that scikit-learn can slice is accepted.
    """
    return None if values is None else _safe_indexing(values, rows)


def take_rows_of_params(params, rows, n_rows):
    """Select rows of each parameter of ``fit`` that has one value per row; leave other parameters unchanged."""
    return {
        name: take_rows(value, rows) if hasattr(value, "__len__") and _length(value) == n_rows else value
        for name, value in params.items()
    }


def _length(value):
    return value.shape[0] if getattr(value, "shape", ()) else (0 if isinstance(value, str) else len(value))
