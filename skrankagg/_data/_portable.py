"""Conversion of pandas objects to plain objects, which all formats for saving estimators accept.

Plain objects are arrays, text, numbers, and containers of plain objects. Formats such as skops save only plain objects,
so a state with data frames, series or indexes could only be pickled. :func:`pack` converts such a state to plain
objects, and :func:`unpack` restores the pandas objects with the same dtypes. Objects without a plain form, such as a
column of arbitrary Python objects, stay unchanged.
"""

import json
from typing import Any

import numpy as np
import pandas as pd

# Key of the dicts that replace pandas objects.
_MARK = "__pandas__"
# Types of plain Python objects, which may also be elements of tuples.
_PLAIN = (str, int, float, bool, bytes, type(None))


def pack(value):
    """Replace pandas objects by dicts of plain Python objects and NumPy arrays; leave other objects unchanged.

    Pandas objects inside dicts, lists and tuples are also replaced.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg._data._portable import pack, unpack
    >>> packed = pack({"weight": pd.Series([0.5, 2.0], index=["v", "w"])})
    >>> type(packed["weight"])
    <class 'dict'>
    >>> unpack(packed)["weight"].to_dict()
    {'v': 0.5, 'w': 2.0}
    """
    if isinstance(value, pd.DataFrame):
        columns = [_pack_array(column) for _, column in value.items()]
        packed = _frame(value, "DataFrame", columns=columns, names=_pack_index(value.columns))
        if value.attrs and packed is not value:
            packed["attrs"] = value.attrs
        return packed
    if isinstance(value, pd.Series):
        return _frame(value, "Series", values=_pack_array(value), name=value.name)
    if isinstance(value, pd.Index):
        packed = _pack_index(value)
        return value if packed is None else packed
    if type(value) is dict:
        return {key: pack(one) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(pack(one) for one in value)
    return value


def unpack(value):
    """Restore the objects that :func:`pack` replaced; leave other objects unchanged."""
    if type(value) is dict and _MARK in value:
        return _UNPACK[value[_MARK]](value)
    if type(value) is dict:
        return {key: unpack(one) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(unpack(one) for one in value)
    return value


class PortableState:
    """Mixin that packs the pandas objects in an estimator's state, so that libraries such as skops can save it."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: pack(value) for name, value in super().__getstate__().items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: unpack(value) for name, value in state.items()})


def _frame(value, kind, **parts):
    """Convert a frame or a series to a dict (see :func:`pack`), or return it unchanged if this is impossible.

    `parts` contains the converted parts of the frame or series, such as its columns. A part that cannot be converted is
    None.
    """
    parts["index"] = _pack_index(value.index)
    columns = parts.get("columns", [])
    if any(part is None for name, part in parts.items() if name != "name") or any(one is None for one in columns):
        return value
    return {_MARK: kind, **parts}


def _pack_index(index):
    if isinstance(index, pd.RangeIndex):
        return {_MARK: "RangeIndex", "range": [index.start, index.stop, index.step], "name": index.name}
    if isinstance(index, pd.MultiIndex):
        levels = [_pack_index(level) for level in index.levels]
        if None in levels:
            return None
        codes = [np.asarray(codes) for codes in index.codes]
        return {_MARK: "MultiIndex", "levels": levels, "codes": codes, "names": list(index.names)}
    values = _pack_array(index)
    return None if values is None else {_MARK: "Index", "values": values, "name": index.name}


def _unpack_index(state):
    values = unpack(state["values"])
    return pd.Index(values, dtype=values.dtype, name=state["name"], tupleize_cols=False)


def _pack_array(values):
    """Convert the values and the dtype of an index or a column to a dict (see :func:`pack`).

    Returns None if plain Python objects and NumPy arrays cannot represent the values.
    """
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = values.codes if isinstance(values, pd.Index) else values.cat.codes.to_numpy()
        categories = _pack_index(dtype.categories)
        if categories is None:
            return None
        return {_MARK: "category", "codes": np.array(codes), "categories": categories, "ordered": bool(dtype.ordered)}
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return {_MARK: "array", "values": np.array(values.to_numpy())}
    if isinstance(dtype, pd.DatetimeTZDtype):
        dates = pd.DatetimeIndex(values)
        return {_MARK: "dates", "values": dates.tz_convert("UTC").tz_localize(None).to_numpy(), "dtype": str(dtype)}
    if isinstance(dtype, pd.PeriodDtype):
        return {_MARK: "periods", "ordinals": pd.PeriodIndex(values).asi8.copy(), "dtype": str(dtype)}
    missing = np.array(values.isna())
    if isinstance(dtype, pd.StringDtype):
        return _pack_text(values, missing, ["string", dtype.storage, dtype.na_value is pd.NA])
    if isinstance(dtype, np.dtype):
        objects = values.tolist()
        return {_MARK: "objects", "values": objects} if all(map(_is_plain, objects)) else None
    if isinstance(dtype, pd.ArrowDtype):
        if str(dtype.pyarrow_dtype) in ("string", "large_string"):
            return _pack_text(values, missing, ["arrow", str(dtype.pyarrow_dtype)])
        if dtype.kind not in "iufb":
            return None
        name = ["arrow", str(dtype.pyarrow_dtype)]
    elif pd.api.types.is_numeric_dtype(dtype) and not isinstance(dtype, pd.SparseDtype):  # masked dtypes, such as Int64
        name = ["masked", str(dtype)]
    else:
        return None
    numbers = values.array.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
    return {_MARK: "masked", "values": np.array(numbers), "missing": missing, "dtype": name}


def _is_plain(value):
    return type(value) in _PLAIN or (type(value) is tuple and all(map(_is_plain, value)))


def _pack_text(values, missing, dtype):
    texts = [None if gone else str(one) for one, gone in zip(values.tolist(), missing, strict=True)]
    # All texts become one JSON text. A NumPy array would lose trailing NULs, and a list would store each text
    # separately.
    return {_MARK: "text", "text": json.dumps(texts), "dtype": dtype}


def _dtype(name):
    kind, *rest = name
    if kind == "string":
        # Before pandas 2.3, the storage alone determines the missing value.
        if rest[1] or rest[0] == "pyarrow_numpy":
            return pd.StringDtype(rest[0])
        return pd.StringDtype(rest[0], na_value=np.nan)
    if kind == "arrow":
        import pyarrow

        return pd.ArrowDtype(pyarrow.type_for_alias(rest[0]))
    return pd.api.types.pandas_dtype(rest[0])


def _unpack_text(state):
    return pd.array(json.loads(state["text"]), dtype=_dtype(state["dtype"]))


def _unpack_objects(state):
    values = np.empty(len(state["values"]), dtype=object)
    values[:] = state["values"]
    return values


def _unpack_masked(state):
    values = pd.array(state["values"], dtype=_dtype(state["dtype"]))
    values[state["missing"]] = pd.NA
    return values


def _unpack_frame(state):
    index, names = unpack(state["index"]), unpack(state["names"])
    columns = {k: _series(column, index, None) for k, column in enumerate(state["columns"])}
    frame = pd.DataFrame(columns, index=index).set_axis(names, axis=1)
    frame.attrs.update(state.get("attrs", {}))
    return frame


def _series(values, index, name):
    values = unpack(values)
    return pd.Series(values, dtype=values.dtype, index=index, name=name)


_UNPACK = {
    "DataFrame": _unpack_frame,
    "Series": lambda state: _series(state["values"], unpack(state["index"]), state["name"]),
    "Index": _unpack_index,
    "RangeIndex": lambda state: pd.RangeIndex(*state["range"], name=state["name"]),
    "MultiIndex": lambda state: pd.MultiIndex(
        levels=[unpack(level) for level in state["levels"]], codes=state["codes"], names=state["names"]
    ),
    "array": lambda state: state["values"],
    "category": lambda state: pd.Categorical.from_codes(
        state["codes"], categories=unpack(state["categories"]), ordered=state["ordered"]
    ),
    "dates": lambda state: pd.DatetimeIndex(state["values"]).tz_localize("UTC").astype(state["dtype"]).array,
    "periods": lambda state: (
        pd.PeriodIndex.from_ordinals(state["ordinals"], freq=pd.api.types.pandas_dtype(state["dtype"]).freq).array
    ),
    "objects": _unpack_objects,
    "text": _unpack_text,
    "masked": _unpack_masked,
}
