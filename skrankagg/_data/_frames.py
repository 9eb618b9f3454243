"""Checking and encoding of data frames; no other module reads frames from users.

Frames of pandas, polars and pyarrow are accepted, and also lazy frames of polars, DuckDB and other libraries that
narwhals supports. Only the necessary columns of a lazy frame are collected. A column of ids becomes integer codes and a
sorted index of its distinct ids, which keep their dtype. A column of numbers becomes finite float64. If float64 cannot
represent the numbers exactly, integer codes keep their exact order.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from os import PathLike
from typing import Any, TypeAlias

import narwhals as nw_main
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from narwhals.stable.v2.typing import IntoFrame

from .._support._values import is_hashable, show
from ..exceptions import InputError, InputTypeError, MissingLibraryError
from ._arrow_text import arrow_text
from ._id_codes import encode_ids, factorize
from ._titles import canonical, document_numbers, other_titles, query_ids, warn_of_query_texts

#: From this number on, neighbouring integers may round to the same float64.
EXACT_LIMIT = 2.0**53

#: Columns of ranked lists.
LIST_COLUMNS = ("query", "voter", "item", "rank", "score", "weight", "duel")

# Without its checks, pandas makes a small frame in half the time. This function copies numbers, and has no public name.
_FROM_ARRAYS = getattr(pd.DataFrame, "_from_arrays", None)
_FEW = 1000

#: A data frame of pandas, or of a library that narwhals supports, such as polars, pyarrow and DuckDB, lazy or not.
AnyFrame: TypeAlias = pd.DataFrame | IntoFrame
#: A data frame, or an iterable of named tuples, which are the rows of a frame.
AnyRows: TypeAlias = AnyFrame | Iterable[tuple[Any, ...]]


#: Function that reads a file for each constructor; error messages suggest it.
_READERS = {
    "RankedLists.from_frame": "read_lists",
    "Qrels.from_frame": "read_qrels",
    "RankedLists.from_comparisons": "read_comparisons",
}


class Columns:
    """Columns of a frame under their canonical names.

    Canonical names are the names that the package uses, such as "query" and "item". `names` maps canonical names to
    names in the frame. Error messages contain `caller`, the name of the constructor. If the frame lacks a canonical
    name, other common names of this column are tried. Only one column may match. If there are both a column `query` and
    a column of query ids, such as `qid`, the column of ids is read and a warning is issued. If the order of the rows
    matters, pass ``lazy=False``. Lazy frames are then refused, because their rows have no order.
    """

    def __init__(self, frame, names, caller, *, lazy=True):
        frame = known_frame(frame, caller)
        is_lazy = isinstance(frame, nw.LazyFrame)
        if is_lazy and not lazy:
            raise InputTypeError(
                f"{caller} reads the order of the rows, which a lazy frame does not guarantee. Collect the frame first."
            )
        self.available = list(frame.collect_schema().names() if is_lazy else frame.columns)
        self._caller = caller
        if any(one is pd.NA for one in self.available):  # comparing pd.NA with a name does not give a bool
            raise InputError(
                "`X` must have a title for each column; one is missing (<NA>). Rename or drop that column."
            )
        self._names = self._find(names)
        self._found = {column for column, name in names.items() if self._names[column] != name}
        if is_lazy:
            read = [name for name in self.available if name in self._names.values()]
            frame = _collect(frame.select(read) if read else frame.head(0), caller)
        self._frame, self._series = frame, {}
        self.is_pandas = isinstance(frame, pd.DataFrame)
        self.n_rows = frame.shape[0]
        self.index = frame.index if self.is_pandas else None

    def _find(self, names):
        """Return a dict that maps each canonical name to the name of this column in the frame."""
        for column, name in names.items():
            if name is not None and (not is_hashable(name) or pd.isna(name) is True):
                raise InputTypeError(f"`{column}` must be the name of a column; got {show(name)}. Pass its title.")
        found = dict(names)
        named = {name for column, name in names.items() if name != column}
        numbers = set(document_numbers(one for one in self.available if isinstance(one, str)))
        # A frame needs only one of the columns rank and score. If it has one, a column "position" may mean anything,
        # but a column "Rank" still contains ranks.
        ordered = any(names.get(column) in self.available for column in ("rank", "score") if names.get(column))
        for column, name in names.items():
            if name != column:
                continue
            titles = [one for one in dict.fromkeys(self.available) if isinstance(one, str) and one not in named]
            ids = query_ids(titles) if column == "query" else []
            if name in self.available and not ids:
                continue
            if ids:
                titles = ids
            elif ordered and column in {"rank", "score"}:
                titles = [one for one in titles if one.strip().casefold() == column]
            else:
                titles = [one for one in titles if canonical(one) == column and one not in numbers]
            if len(titles) > 1:
                unread = f", or {column}=None to ignore them" if column in {"voter", "rank", "score", "weight"} else ""
                raise InputError(
                    f"`X` must have only one column that could contain the {column}; "
                    f"{' and '.join(map(repr, titles))} are possible. Choose one with "
                    f"{self._call(column, titles[0])}{unread}."
                )
            if titles:
                found[column] = titles[0]
            if ids:
                warn_of_query_texts(titles[0], self._caller, self.available)
        return found

    def _call(self, column, name=None):
        """Return the text of a constructor call that names a column, such as ``f(df, item='id')``, for messages."""
        first = "df, " if "." in self._caller else ""
        return f"{self._caller}({first}{column}={'...' if name is None else repr(name)})"

    def name(self, column):
        """Return the name that the frame uses for a canonical column name."""
        return self._names[column]

    def has(self, column):
        """Return True if the frame has the given column, or if the user has given a name for it."""
        name = self._names[column]
        return name is not None and (name in self.available or name != column)

    def require(self, *columns):
        """Raise InputError if the frame has no rows, lacks one of the given columns, or contains one twice."""
        missing = [name for name in columns if self._names.get(name, name) not in self.available]
        if missing:
            named = ", ".join(show(self._names.get(name, name)) for name in missing)
            others = [
                one
                for name in missing
                if self._names.get(name, name) == name
                for column in name.split(" or ")
                for one in other_titles(column)
            ]
            hint = f" (also accepted: {', '.join(others)}, in upper or lower case)" if others else ""
            one_query = "query" in missing and self._caller == "RankedLists.from_frame"
            single = ", or pass query=None if they are one query" if one_query else ""
            raise InputError(
                f"`X` is missing the column(s) {named}{hint}; its columns are {self.available}. Name the missing "
                f"column with {self._call(missing[0].split()[0])}{single}."
            )
        for name in columns:
            if self.available.count(self._names[name]) > 1:
                raise InputError(
                    f"`X` must have only one column named {self._names[name]!r}; "
                    f"{self.available.count(self._names[name])} columns have this name. Rename or drop the others."
                )
        if self.n_rows == 0:
            raise InputError("`X` must have at least one row; it has no rows. Check how it was read or filtered.")

    def ids(self, column):
        """Return int32 codes of shape (n_rows,) for a column of ids, and a sorted index of its distinct ids.

        The index has the dtype of the column.
        """
        values = self.id_column(column)
        if values.dtype == np.float16:  # pandas has no index of float16 and converts such ids to float32
            raise InputTypeError(
                f"Column {self._names[column]!r} must not have the dtype float16, because its ids would be returned "
                "as float32. Convert it to float32, or to strings."
            )
        try:
            codes, index = encode_ids(values)
        except TypeError as error:
            raise InputTypeError(
                f"Column {self._names[column]!r} must have ids that can be sorted, such as strings or integers; got "
                f"mixed, unhashable or unordered values ({error}). Convert them to one type, such as strings."
            ) from None
        missing = codes < 0
        if missing.any():
            raise InputError(
                f"Column {self._names[column]!r} must have an id in every row; {int(missing.sum())} are missing, the "
                f"first in row {first_row(missing)}. Drop those rows, or fill in the ids."
            )
        return codes, index

    def id_column(self, column):
        """Return a column of ids as a Series; refuse floats if the column was found under an alternative name."""
        values = self.series(self._names[column])
        if column in self._found and pd.api.types.is_float_dtype(values.dtype):  # a column "q" may contain q-values
            lack = "" if column in self.available else f"X is missing the column {column!r}; "
            raise InputError(
                f"{lack}{self._names[column]!r} would be read as the {column}, but its dtype is {values.dtype}, so it "
                f"probably contains numbers instead of ids. Name the column with {self._call(column)}."
            )
        return values

    def numbers(self, column, *, whole=False):
        """Return a column of finite numbers as float64 of shape (n_rows,).

        If `whole` is true, a column of NumPy's signed integers keeps its dtype. The array may be a view of the frame's
        memory.
        """
        values, name = self.series(self._names[column]), self._names[column]
        if not pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_complex_dtype(values.dtype):
            raise InputError(
                f"Column {name!r} must have numbers; its dtype is {values.dtype}. Convert it with pandas.to_numeric."
            )
        if whole and isinstance(values.dtype, np.dtype) and values.dtype.kind == "i":
            return values.to_numpy()
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        bad = ~np.isfinite(numbers)
        if bad.any():
            row = first_row(bad)
            raise InputError(
                f"Column {name!r} must have finite numbers; {int(bad.sum())} rows have NaN or infinity, the "
                f"first in row {row} ({numbers[row]}). Drop those rows or fill them in."
            )
        return numbers

    def exact_order(self, column):
        """Return integers in the exact order of a column's values, or None if float64 represents every value exactly.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=int, or None
            An integer for each row. A larger value has a larger integer, and equal values have equal integers. None if
            float64 represents every value exactly, as for integers below 2 ** 53.
        """
        values = self.series(self._names[column])
        kind = getattr(values.dtype, "kind", "O")
        if kind in "iu":
            if fit_float64(values):
                return None
        elif kind in "fb":
            if not isinstance(values.dtype, np.dtype) or values.dtype.itemsize <= 8:
                return None
            return np.unique(values.to_numpy(), return_inverse=True)[1]  # pandas would round long doubles
        return factorize(values)[0]

    def series(self, name):
        """Return the frame's column `name` as a pandas Series."""
        if self.is_pandas:
            if name not in self._series:  # each look-up would create a new Series
                self._series[name] = self._frame[name]
            return self._series[name]
        values = self._frame[name]
        if values.dtype in (nw.Int128, nw.UInt128):  # NumPy has no 128-bit integers
            return pd.Series(values.to_list(), dtype=object)
        if values.dtype.is_integer() and values.null_count():  # NumPy would convert these values to floats
            known, null = values.fill_null(0).to_numpy(), values.is_null().to_numpy()
            return pd.Series(pd.arrays.IntegerArray(known.copy(), null.copy()))
        text = arrow_text(values)
        if text is None and values.dtype in (nw.String, nw.Categorical, nw.Enum):
            # NumPy's text of fixed width would drop NUL characters at the end.
            text = pd.Series(values.to_list(), dtype=None if len(values) else str)
        # A null becomes None, which pandas treats as a missing id. Numbers are converted to NumPy's representation.
        return pd.Series(values.to_numpy()) if text is None else text


def fit_float64(integers):
    """Return True if float64 represents each integer of an array or Series exactly."""
    return integers.min() > -EXACT_LIMIT and integers.max() < EXACT_LIMIT


def is_frame(X):
    """Return True for a data frame, eager or lazy, of a library that narwhals supports."""
    # Frames of all stable versions of narwhals are instances of the classes in its main namespace.
    return isinstance(X, pd.DataFrame | nw_main.DataFrame | nw_main.LazyFrame) or (
        nw.from_native(X, pass_through=True) is not X
    )


def new_series(values):
    """Convert a list to a pandas Series; if a number is too large for float64, the dtype is object.

    >>> from skrankagg._data._frames import new_series
    >>> new_series([0.5, 10**400]).dtype
    dtype('O')
    """
    try:
        return pd.Series(values)
    except OverflowError:  # pandas 2 tries to convert the numbers to floats
        return pd.Series(values, dtype=object)


def new_frame(columns):
    """Convert a dict of columns to a pandas frame; a column with a number too large for float64 gets dtype object.

    >>> from skrankagg._data._frames import new_frame
    >>> new_frame({"item": ["a", 10**400]})["item"].dtype
    dtype('O')
    """
    try:
        return pd.DataFrame(columns)
    except OverflowError:
        return pd.DataFrame({name: new_series(values) for name, values in columns.items()})


def with_column(frame, name, values):
    """Add or replace a numeric column of a frame; return a frame of the same library."""
    if isinstance(frame, pd.DataFrame):
        return frame.assign(**{name: values})
    frame = nw.from_native(frame, eager_only=True)
    return frame.with_columns(nw.new_series(name, values, backend=frame.implementation)).to_native()


def canonical_frame(X):
    """Convert a frame of ranked lists to pandas with canonical column names; return any other object unchanged.

    >>> import pandas as pd
    >>> from skrankagg._data._frames import canonical_frame
    >>> canonical_frame(pd.DataFrame({"qid": [1], "docno": [2], "rank": [1], "note": ["x"]})).columns.tolist()
    ['query', 'item', 'rank', 'note']
    """
    if not is_frame(X):
        return X
    columns = Columns(X, {name: name for name in LIST_COLUMNS}, "RankedLists.from_frame")
    there = {columns.name(name): name for name in LIST_COLUMNS if columns.has(name)}
    if isinstance(X, pd.DataFrame):
        beside = [name for title, name in there.items() if title != name and name in X]  # the queries' texts
        return (X.drop(columns=beside) if beside else X).rename(columns=there)
    return pd.DataFrame({name: columns.series(title) for title, name in there.items()})


def known_frame(frame, caller):
    """Return a pandas frame unchanged, and any other frame, eager or lazy, as a narwhals frame."""
    if isinstance(frame, pd.DataFrame):
        return frame
    try:
        return nw.from_native(frame)
    except TypeError:
        hint = ""
        if isinstance(frame, Mapping | list | tuple) and caller == "RankedLists.from_frame":
            hint = "; encode dicts and lists with RankedLists.from_runs or from_lists"
            if not isinstance(frame, Mapping) and frame and all(isinstance(one, str) for one in frame):
                hint = "; encode ballots as text with RankedLists.from_ballots"
        elif isinstance(frame, Mapping) and caller == "Qrels.from_frame":
            hint = "; encode a dict by query with Qrels.from_dict"
        elif isinstance(frame, np.ndarray) and caller == "Qrels.from_frame":
            hint = "; encode the classes of samples with Qrels.from_labels"
        elif isinstance(frame, str | PathLike) and caller in _READERS:
            hint = f"; read a file with {_READERS[caller]}"
        elif isinstance(frame, Mapping | list | tuple) and caller == "RankedLists.from_wide":
            hint = "; encode dicts and lists with RankedLists.from_lists"
        row = "ranked item"
        if caller == "RankedLists.from_comparisons":
            row = "comparison"
        raise InputTypeError(
            f"The input of {caller} must be a data frame (pandas, polars or pyarrow) with a row for each {row}; "
            f"got {type(frame).__module__}.{type(frame).__qualname__}{hint}."
        ) from None


def titles_of(frame):
    """List the titles of the columns of a frame that :func:`known_frame` returned."""
    return list(frame.columns if isinstance(frame, pd.DataFrame) else frame.collect_schema().names())


def _collect(frame, caller):
    try:
        return frame.collect()
    except ModuleNotFoundError as error:  # the engine returns its rows through Arrow
        raise MissingLibraryError(
            f"{caller} needs {error.name} to collect this lazy frame, but it is missing. Install it with pip install "
            f"{error.name}, or collect the frame first."
        ) from None


def first_row(mask):
    """Return the position of the first True in a mask, as an int."""
    return int(np.argmax(mask))


def known_or_missing(answers):
    """Convert values that are True, False or None to a nullable boolean array, where None becomes a missing value."""
    answers = np.asarray(answers, dtype=object)
    missing = np.equal(answers, None)
    return pd.arrays.BooleanArray(np.where(missing, False, answers).astype(bool), missing.astype(bool))


def whole_or_missing(numbers, known):
    """Convert numbers to a nullable integer array; numbers where the mask `known` is False become missing values."""
    return pd.array(np.where(known, numbers.astype(object), None), dtype="Int64")


def show_id(index, position):
    """Return one id of an index as text for error messages, such as 1 instead of np.int64(1)."""
    return repr(index[[position]].tolist()[0])


def take_ids(index, codes):
    """Return the ids at some positions of an index, as a column for :func:`frame_of`."""
    # From an array of objects that contains only strings, pandas would create a column of strings.
    return index.take(codes) if index.dtype == object else index.array.take(codes)


def take_or_missing(index, codes):
    """Return ids like :func:`take_ids`, but with a missing id for each negative code.

    Integer and boolean ids get a nullable dtype, because other dtypes cannot represent a missing id.
    """
    ids = pd.Series(index)
    if ids.dtype.kind in "iub":
        ids = ids.convert_dtypes()
    return ids.reindex(np.where(codes < 0, -1, codes)).array


def frame_of(columns):
    """Create a frame from a dict of columns; columns with many rows are not copied.

    The columns must be writeable, and the caller must not use them afterwards.
    """
    arrays, names = list(columns.values()), index_of_names(*columns)
    if len(arrays[0]) <= _FEW and _FROM_ARRAYS is not None and all(map(_is_stored_as_given, arrays)):
        return _FROM_ARRAYS(arrays, names, pd.RangeIndex(len(arrays[0])), verify_integrity=False)
    frame = pd.DataFrame(dict(enumerate(arrays)), copy=False)
    frame.columns = names
    return frame


def _is_stored_as_given(column):
    """Return True if pandas stores a column without a conversion."""
    if type(column) is np.ndarray:
        return column.dtype.kind in "biuf"
    return isinstance(column, pd.api.extensions.ExtensionArray)


def index_of_names(*names):
    """Return an index of the names of a frame's columns.

    The index is cached, because building it takes as long as all other steps of creating a small frame. The result is a
    view of the cached index, so a caller may rename it.
    """
    return _cached_index(names, pd.get_option("mode.string_storage")).view()


@lru_cache(maxsize=64)
def _cached_index(names, storage):
    """Return an index of the names from a cache.

    `storage` is pandas' string storage; the cache has a separate index for each storage.
    """
    return pd.Index(list(names))


def plain_index(index):
    """Convert a categorical index to the dtype of its categories; return any other index unchanged."""
    if isinstance(index, pd.CategoricalIndex):
        return pd.Index(index.astype(index.categories.dtype))
    return pd.Index(index) if isinstance(index, SampleIndex) else index


class SampleIndex(pd.Index):
    """An index that scikit-learn can slice and use as the target `y`.

    Scikit-learn slices a target as ``y[rows, ...]``. For a NumPy array, this equals ``y[rows]``, but an Arrow array
    raises an error. Pandas uses Arrow arrays for strings if pyarrow is installed.
    """

    def __new__(cls, data=None, *args, **kwargs):
        # pd.Index chooses the class from the data, and pandas has no public function that creates another subclass.
        index = (
            data if isinstance(data, pd.Index) and not (args or kwargs) else pd.Index(data, *args, **kwargs)
        ).view()
        index.__class__ = cls
        return index

    def __getitem__(self, key):
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]
        found = super().__getitem__(key)
        return sample_index(found) if isinstance(found, pd.Index) else found

    def equals(self, other):
        """Return True if another index, which may have another class, contains the same values."""
        return pd.Index(self).equals(other)

    def _get_engine_target(self):
        # Look-ups use this array. If it is an Arrow array, pandas needs a plain Index.
        return pd.Index(self)._get_engine_target()


def sample_index(index):
    """Convert an index of Arrow data to a :class:`SampleIndex`; return any other index unchanged."""
    backed_by_arrow = isinstance(index.dtype, pd.ArrowDtype) or "pyarrow" in str(getattr(index.dtype, "storage", ""))
    return SampleIndex(index) if backed_by_arrow and not isinstance(index, SampleIndex) else index
