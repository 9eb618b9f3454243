"""Fast conversion of text columns of polars and pyarrow to pandas, without a Python object for each row."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from ._text_order import is_arrow_text

# For fewer strings, calling Arrow takes longer than creating Python strings.
_FEW = 2_000


def arrow_text(values):
    """Convert a text column of a narwhals frame to a pandas Series, without a Python object for each row.

    The result has the same dtype and the same values as ``pd.Series(values.to_list())``. Categories become plain
    strings. Returns None for a column that is not text, has few rows, or does not come from polars or pyarrow. Also
    returns None for a column of polars if pandas stores strings as Python objects.

    >>> import polars as pl
    >>> import narwhals.stable.v2 as nw
    >>> from skrankagg._data._arrow_text import arrow_text
    >>> arrow_text(nw.from_native(pl.Series([1, 2]), series_only=True)) is None
    True
    """
    if values.dtype not in (nw.String, nw.Categorical, nw.Enum) or (values.dtype == nw.String and len(values) < _FEW):
        return None
    backend = values.implementation
    dtype = pd.Series([""]).dtype
    if not (backend.is_pyarrow() or (backend.is_polars() and is_arrow_text(dtype))):
        return None
    import pyarrow as pa

    native = values.to_native() if backend.is_pyarrow() else values.to_arrow()
    chunks = native.chunks if isinstance(native, pa.ChunkedArray) else [native]
    return text_series(pa.chunked_array([_plain(chunk, pa) for chunk in chunks], type=pa.large_string()))


def text_series(text):
    """Convert a chunked Arrow array of type large_string to a Series with pandas' default dtype of strings.

    >>> import pyarrow as pa
    >>> from skrankagg._data._arrow_text import text_series
    >>> text_series(pa.chunked_array([["b"], ["a"]], type=pa.large_string())).tolist()
    ['b', 'a']
    """
    dtype = pd.Series([""]).dtype
    # If pandas does not store strings in Arrow, NumPy converts the text, so that nulls stay missing.
    return pd.Series(dtype.__from_arrow__(text) if is_arrow_text(dtype) else text.to_numpy())


def repeated_text(chunks):
    """Convert Arrow arrays without nulls to one Series; this is faster than :func:`text_series` if most strings repeat.

    The arrays contain strings, or categories that are strings. If pandas stores strings as Python objects, equal
    strings of an array become the same object.

    >>> import pyarrow as pa
    >>> from skrankagg._data._arrow_text import repeated_text
    >>> repeated_text([pa.array(["b", "a", "b"]), pa.array(["a"]).dictionary_encode()]).tolist()
    ['b', 'a', 'b', 'a']
    """
    import pyarrow as pa

    if is_arrow_text(pd.Series([""]).dtype):
        return text_series(pa.chunked_array([_plain(chunk, pa) for chunk in chunks], type=pa.large_string()))
    objects = []
    for chunk in chunks:
        encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        objects.append(encoded.dictionary.to_numpy(zero_copy_only=False).take(encoded.indices.to_numpy()))
    return pd.Series(np.concatenate(objects))


def coded_text(chunks):
    """Convert dictionary arrays of Arrow to one categorical Series; its texts are as in :func:`repeated_text`.

    This is fast, because the rows keep the codes of the dictionaries. Some categories may not occur in any row. If the
    dictionary of an array repeats a text or contains nulls, the Series contains plain text.

    >>> import pyarrow as pa
    >>> from skrankagg._data._arrow_text import coded_text
    >>> chunks = [pa.array(texts).dictionary_encode() for texts in (["b", "a", "b"], ["a"])]
    >>> coded_text(chunks).tolist()
    ['b', 'a', 'b', 'a']
    """
    import pyarrow as pa

    joined = pa.chunked_array(chunks).unify_dictionaries()
    texts = pd.Index(text_series(pa.chunked_array([joined.chunk(0).dictionary.cast(pa.large_string())])))
    if not texts.is_unique or texts.hasnans:
        return repeated_text(chunks)
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in joined.chunks])
    return pd.Series(pd.Categorical.from_codes(codes, categories=texts))


def _plain(chunk, pa):
    """Convert an Arrow array of strings, or of categories that are strings, to the type large_string."""
    if pa.types.is_dictionary(chunk.type):  # Arrow cannot convert every type of dictionary directly
        return chunk.dictionary.cast(pa.large_string()).take(chunk.indices)
    try:
        return chunk.cast(pa.large_string())
    except pa.ArrowNotImplementedError:  # pyarrow 16 and 17 cannot cast string_view
        return pa.array(chunk.to_pylist(), pa.large_string())
