"""Evaluate runs against judgements, frames in and a frame out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

import pandas as pd

from ..._data._qrels import check_qrels
from ..._data._types import AnyLists, AnyQrels
from ...exceptions import InputError, InputTypeError
from .._relevance._inputs import look_up, warn_of_runs
from .._relevance._measure import check_conventions
from .._relevance._registry import Measure, get_measures
from ._conventions import Conventions

__all__ = ["evaluate"]


def evaluate(
    run: AnyLists | Mapping[Any, Any] | Sequence[Any],
    qrels: AnyQrels | Mapping[Any, Any] | Sequence[Any],
    metrics: str | Measure | Sequence[str | Measure] = ("map", "p@10", "ndcg@10"),
    *,
    per_query: bool = False,
    missing: Literal["zero", "skip"] | None = None,
    **conventions: Unpack[Conventions],
) -> pd.DataFrame:
    """Measure one run, or several, against relevance judgements.

    The judgements state the queries: those of a run that are not judged are left out.

    Parameters
    ----------
    run : DataFrame or RankedLists, or dict of str to these
        A consensus or any ranking: columns `query`, `item` and `rank` and/or `score`, one list for each query. Or plain
        lists of items, or dicts by query, as every measure takes them. A dict here holds several runs by name.
    qrels : DataFrame or Qrels
        Judgements, columns `query`, `item`, `relevance`; for a run of plain lists or dicts, a list of the
        relevant items or of dicts of item to grade, or a dict of these by query.
    metrics : str, Measure or sequence of these, default=("map", "p@10", "ndcg@10")
        Names of measures, see :func:`measure_names`, each once.
    per_query : bool, default=False
        Whether to give a row for each query instead of their mean (the sum, for counts).
    missing : {"zero", "skip"} or None, default=None
        What a judged query without results counts: as an empty list, 0 in every measure, or nothing. None is "zero",
        with a warning where more than half of the judged queries have no results.
    **conventions
        Conventions of the measures: `ties`, `gain`, `discount`, `ideal`, `truncate`, `ap_denominator`,
        `relevance_threshold`, `persistence`, `max_grade`, `positive_scores`. Those in brackets after a name take
        precedence.

    Returns
    -------
    pandas.DataFrame
        A column for each measure, under the name given. A row for each run, indexed by `run`; with ``per_query=True``
        one for each query, indexed by `query`, or by `run` and `query` where `run` is a dict.

    Raises
    ------
    TypeError
        If `run` is a dict by query where one by name is expected.
    ValueError
        If a run has several lists for a query, if its ids cannot match those of the judgements (integers on one side,
        strings on the other), if a measure or a convention is unknown or a measure comes twice, or if `ties` is to
        order equal scores and the scores contradict the ranks.

    Warns
    -----
    MissingQueriesWarning
        If more than half of the judged queries have no results in a run and `missing` is None.
    NothingJudgedWarning
        If a run is empty, or holds no judged query or no judged item: it scores 0.

    See Also
    --------
    get_measure : The registry of names.
    make_ranking_scorer : Measures over the queries of a fold; this function measures over all judged queries.

    Notes
    -----
    The default gain of nDCG is ``2 ** relevance - 1``; trec_eval and ranx have the relevance itself, ``gain="linear"``,
    and trec_eval orders equal scores by ``ties="trec_eval"``. The two gains are equal on binary judgements.

    Where the ranks of a run contradict its scores, which is warned of, ``ties="order"``, the default, reads the ranks
    alone and ``ties="trec_eval"`` the scores alone; the other rules refuse the run.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.metrics import evaluate
    >>> run = pd.DataFrame({"query": "q", "item": ["a", "b", "c"], "rank": [1, 2, 3]})
    >>> qrels = pd.DataFrame({"query": "q", "item": ["a", "b", "c"], "relevance": [0, 1, 1]})
    >>> evaluate(run, qrels, metrics=["map", "ndcg@2"])
              map  ndcg@2
    run
    run  0.583333  0.386853
    """
    check_conventions({"missing": missing})
    measures = get_measures(metrics, **conventions)
    runs = run if isinstance(run, Mapping) else {"run": run}
    if not runs:
        raise InputError("evaluate expects at least one run; the dict of runs is empty.")
    if isinstance(qrels, Mapping):
        _check_names(run, qrels)
    elif not isinstance(qrels, (list, tuple)):
        qrels = check_qrels(qrels)  # once for all runs
    graded = {name: _look_up(name if run is runs else None, one, qrels, missing) for name, one in runs.items()}
    # A measure whose own convention says what a query without results counts has nothing to warn of.
    own = {measure.options.get("missing", missing) for measure in measures.values()}
    warn_of_runs(graded if run is runs else {None: graded["run"]}, None if None in own else "zero")
    tables = {
        name: pd.DataFrame({key: measure(one.ranked) for key, measure in measures.items()}, index=one.queries)
        for name, one in graded.items()
    }
    if not per_query:
        rows = [[measure.summarize(table[name]) for name, measure in measures.items()] for table in tables.values()]
        return pd.DataFrame(rows, index=pd.Index(list(tables), name="run"), columns=list(measures))
    if run is not runs:
        return tables["run"]
    return pd.concat(tables, names=["run"])


def _check_names(run, qrels):
    """Refuse the dict of one run, by query, where a dict of runs is meant."""
    queries = [name for name in run if name in qrels] if isinstance(run, Mapping) else []
    if queries:
        raise InputTypeError(
            f"evaluate expects a dict of runs by name; {queries[0]!r} is a query of the judgements. Give the run a "
            "name, evaluate({'run': run}, qrels), or call the measure itself, such as ndcg(run, qrels)."
        )


def _look_up(name, run, qrels, missing):
    try:
        return look_up(run, qrels, missing)
    except (InputError, InputTypeError) as error:
        if name is None:
            raise
        raise type(error)(f"The run {name!r} cannot be evaluated: {error}") from None
