"""Aggregators as transformers of PyTerrier, and frames with PyTerrier's columns.

Only :func:`as_pyterrier` needs PyTerrier. Every function that accepts a frame of lists or judgements also accepts a
frame with PyTerrier's columns. In such a frame, `qid` is the id of a query, `query` is its text, and ranks start at 0.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from .._data._ranked_lists import check_run
from .._data._types import AnyLists
from .._support._checks import check_choice
from ..exceptions import InputError, InputTypeError, MissingLibraryError

__all__ = ["as_pyterrier", "to_pyterrier"]


def as_pyterrier(
    aggregator: Any,
    retrievers: Mapping[Any, Any] | Sequence[Any] | None = None,
    *,
    duplicates: Literal["error", "first", "best", "mean"] = "error",
) -> Any:
    """Turn an aggregator into a transformer of PyTerrier.

    The transformer works with PyTerrier's operators, such as ``>>`` and ``%``, and in ``pt.Experiment``. With
    `retrievers`, it merges the results of several retrievers. Without `retrievers`, it merges the lists in the frame
    that the previous step of the pipeline returns.

    Parameters
    ----------
    aggregator : estimator
        An aggregator, or a pipeline that ends in an aggregator. The transformer uses a copy. If the aggregator is
        already fitted, the copy is also fitted.
    retrievers : mapping of voter to transformer, or sequence of transformers, default=None
        PyTerrier's retrievers or pipelines, whose results are merged. The retrievers of a sequence become the voters 1,
        2 and so on. None merges the lists in the input. The input then has a column `voter`, or PyTerrier's column
        `features`, in which each feature is the score that one voter gives to the document.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat a document that a list contains twice; see :meth:`RankedLists.from_frame
        <skrankagg.RankedLists.from_frame>`.

    Returns
    -------
    pyterrier.Estimator
        A transformer with the following properties:

        - It returns a frame with the columns `qid`, `query`, `docno`, `score` and `rank`, which starts at 0. Other
          columns of the input are kept. If two lists have different values in such a column for the same document, the
          value of the first list is kept.
        - ``fit(topics, qrels)`` fits the aggregator. Only methods that learn need this call.
        - ``set_parameter`` changes a parameter of the aggregator. Therefore ``pt.GridSearch`` can tune the aggregator.

    Raises
    ------
    ImportError
        If PyTerrier is not installed.
    TypeError
        If `aggregator` is not an estimator, or a retriever is not a transformer of PyTerrier.
    ValueError
        If there are no retrievers.

    See Also
    --------
    to_pyterrier : Turns a result into a frame for ``pt.Experiment``.

    Notes
    -----
    The lists are ordered by `score`, because PyTerrier computes its ranks from the scores. Equal scores are ties. The
    ranks are read only if there is no column `score`.

    If a retriever did not return a document, PyTerrier's operator ``**`` gives the document a feature of 0. Pass
    `retrievers` if such documents should be absent from the retriever's list.

    The column `docid` contains the number of each document in an index. It is dropped if the retrievers number
    documents differently.

    Examples
    --------
    >>> import pyterrier as pt  # doctest: +SKIP
    >>> from skrankagg import ReciprocalRankFusion
    >>> from skrankagg.compat.pyterrier import as_pyterrier
    >>> index = pt.IndexFactory.of("index")  # doctest: +SKIP
    >>> bm25 = pt.terrier.Retriever(index, wmodel="BM25")  # doctest: +SKIP
    >>> dph = pt.terrier.Retriever(index, wmodel="DPH")  # doctest: +SKIP
    >>> rrf = as_pyterrier(ReciprocalRankFusion(), {"bm25": bm25, "dph": dph})  # doctest: +SKIP
    >>> vaswani = pt.get_dataset("vaswani")  # doctest: +SKIP
    >>> topics, qrels = vaswani.get_topics(), vaswani.get_qrels()  # doctest: +SKIP
    >>> pt.Experiment([bm25, dph, rrf % 100], topics, qrels, ["map"])  # doctest: +SKIP
    """
    try:
        from ._pyterrier_transformer import MergingTransformer, is_transformer
    except ImportError as error:
        raise MissingLibraryError(
            f"as_pyterrier needs PyTerrier, but {error.name} is missing. Install it with pip install python-terrier."
        ) from None
    check_choice("duplicates", duplicates, ("error", "first", "best", "mean"))
    if isinstance(aggregator, type) or not (hasattr(aggregator, "fit") and hasattr(aggregator, "transform")):
        raise InputTypeError(
            "`aggregator` must be an aggregator such as CombSUM(), or a pipeline that ends in one; got "
            f"{aggregator!r}. Pass the retrievers as the second argument."
        )
    if retrievers is not None:
        retrievers = _named(retrievers)
        for name, one in retrievers.items():
            if not is_transformer(one):
                raise InputTypeError(
                    f"`retrievers` must be transformers of PyTerrier; {name!r} is of type {type(one).__name__}. Pass a "
                    "frame of results as pt.Transformer.from_df(frame)."
                )
    return MergingTransformer(aggregator, retrievers, duplicates=duplicates)


def _named(retrievers):
    if isinstance(retrievers, Mapping):
        named = dict(retrievers)
    elif isinstance(retrievers, Sequence) and not isinstance(retrievers, str):
        named = dict(enumerate(retrievers, 1))
    else:
        raise InputTypeError(
            f"`retrievers` must be a list or a dict of PyTerrier's transformers; got {type(retrievers).__name__}. "
            "Write [bm25, dense]."
        )
    if not named:
        raise InputError("`retrievers` must contain at least one transformer; got none. Leave the argument out.")
    return named


def to_pyterrier(run: AnyLists, topics: pd.DataFrame | None = None) -> pd.DataFrame:
    """Turn a consensus or another run into a frame with PyTerrier's columns.

    Parameters
    ----------
    run : DataFrame or RankedLists, or dict of query to dict of item to score
        One list for each query.
    topics : DataFrame, default=None
        A frame with the columns `qid` and `query`, which contains the texts of the queries. With None, the result has
        no texts.

    Returns
    -------
    pandas.DataFrame
        Columns `qid`, `query` (only with `topics`), `docno`, `score` and `rank`. Ranks start at 0. Ids are strings. If
        the run has no ranks, items of equal score are in the order of their ids. If the run has no scores, the score of
        an item is the negative of its rank.

    Raises
    ------
    ValueError
        If a query has several lists, or if `topics` lacks the text of a query.

    See Also
    --------
    as_pyterrier : Turns an aggregator into a transformer.

    Examples
    --------
    >>> from skrankagg.compat.pyterrier import to_pyterrier
    >>> to_pyterrier({"q1": {"d1": 0.5, "d2": 0.9}})
      qid docno  score  rank
    0  q1    d2    0.9     0
    1  q1    d1    0.5     1
    """
    frame = check_run(run).to_frame()
    place = frame.groupby("query", sort=False, observed=True).cumcount()
    score = frame["score"] if "score" in frame else -place.astype(float)
    columns = {"qid": _as_text(frame["query"]), "docno": _as_text(frame["item"]), "score": score, "rank": place}
    found = pd.DataFrame(columns)
    if topics is None:
        return found
    texts = topics.assign(qid=_as_text(topics["qid"])).set_index("qid")["query"]
    unknown = found.loc[~found["qid"].isin(texts.index), "qid"]
    if len(unknown):
        raise InputError(
            f"`topics` must have the text of each query; {unknown.nunique()} queries are missing (the first is "
            f"{unknown.iloc[0]!r}). Check the ids of the queries."
        )
    found.insert(1, "query", found["qid"].map(texts))
    return found


def _as_text(ids):
    return ids.astype(str).astype(object)
