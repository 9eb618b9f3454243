"""Evaluation of one or more runs against judgements, as a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from ..._data._frames import index_of_names, plain_index
from ..._data._frames_of_voters import holds_frames, name_frames
from ..._data._peer_objects import plain_object, plain_runs
from ..._data._qrels import check_qrels, encode_run
from ..._data._ranked_lists import RankedLists
from ..._support._checks import check_flag
from ..._support._values import show
from ...exceptions import InputError, InputTypeError
from .._relevance._conventions import Conventions, check_conventions
from .._relevance._inputs import (
    QrelsLike,
    RunLike,
    check_order,
    encode_frame,
    is_nested,
    is_plain,
    look_up,
    warn_of_runs,
)
from .._relevance._registry import MeasureLike, get_measures, note_measures
from ._evaluate_voters import look_up_voters

__all__ = ["evaluate"]


def evaluate(
    run: RunLike,
    qrels: QrelsLike,
    metrics: MeasureLike | Sequence[MeasureLike] = ("map", "p@10", "ndcg@10"),
    *,
    per_query: bool = False,
    missing_queries: Literal["zero", "skip"] | None = None,
    **conventions: Unpack[Conventions],
) -> pd.DataFrame:
    """Measure one or more runs against relevance judgements.

    The judgements determine the queries that are measured. Unjudged queries of a run are left out.

    Parameters
    ----------
    run : DataFrame or RankedLists, or list of lists, of dicts or of DataFrames, or dict of str to these
        A consensus or any other ranking, with one list for each query. Pass a frame with columns `query`, `item` and
        `rank` and/or `score`. Or pass, for each query, a list of its items, best first, or a dict of item to score. To
        measure several runs, pass a dict of runs, keyed by name. In contrast, a single measure such as :func:`ndcg`
        treats a dict as one run, keyed by query. If a frame has a column `voter` and several lists for a query, each
        voter is a run. A list of frames also contains several runs. These runs are named by their column `voter` or
        numbered from 1. Named tuples of ir_measures or ir_datasets are read as frames. Runs of ranx keep their names.
    qrels : DataFrame or Qrels, or list of lists, sets or dicts, or dict of these
        Judgements: a frame with columns `query`, `item` and `relevance`, or the relevant items of each query, or a dict
        of item to grade for each query. Pass a list only if the run is a list of lists, and in the same order.
    metrics : str, Measure, callable or sequence of these, default=("map", "p@10", "ndcg@10")
        Names of measures; see :func:`measure_names`. A name may be given only once.
    per_query : bool, default=False
        Whether to return a row for each query. Otherwise the values of the queries are averaged, and counts are summed.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results: "zero" treats them as empty lists, which score 0 in every measure,
        and "skip" leaves them out. None is like "zero", but gives a warning if more than half of the judged queries
        have no results.
    **conventions
        Conventions of the measures: `ties`, `gain`, `discount`, `ideal`, `truncate`, `ap_denominator`,
        `relevance_threshold`, `persistence`, `recall_weight`, `max_grade`. Conventions in brackets after the name of a
        measure take precedence.

    Returns
    -------
    pandas.DataFrame
        The frame has a column for each measure, under the given name, and a row for each run. The index is `run`. With
        ``per_query=True`` there is a row for each query. The index is then `query`, or `run` and `query` if `run` is a
        dict. For lists of several voters, the index contains `voter` instead of `run`.

    Raises
    ------
    TypeError
        If `run` is a dict keyed by query, where a dict keyed by name is expected. If the run and the judgements are
        swapped.
    ValueError
        If a run in a dict has several lists for a query. If the ids of a run cannot match the ids of the judgements,
        because some are integers and the others are strings. If a measure or a convention is unknown, or a measure is
        repeated. If the rule `ties` needs to order equal scores, but the scores contradict the ranks.

    Warns
    -----
    MissingQueriesWarning
        If more than half of the judged queries have no results in a run and `missing_queries` is None.
    NothingJudgedWarning
        If a run is empty, or contains no judged query or no judged item. The run then scores 0.

    See Also
    --------
    evaluate_voters : Measures voters over the queries of their lists.
    get_measure : The registry of names.
    make_ranking_scorer : Makes a scorer that averages over the judged queries of a fold instead of all judged queries.

    Notes
    -----
    The default gain of nDCG is ``2 ** relevance - 1``. trec_eval and ranx use the relevance itself as the gain; choose
    ``gain="linear"`` to get the same values. The two gains are equal on binary judgements. To order equal scores as
    trec_eval does, choose ``ties="trec_eval"``.

    This function measures voters in the same way as runs, over all judged queries. A query for which the voter has no
    list scores 0 unless ``missing_queries="skip"``. :func:`evaluate_voters` leaves out judged queries for which no
    voter has a list, and voters without judged queries. By default, :func:`evaluate_voters` measures each voter only
    over the queries for which the voter has a list, and reports the number of these queries.

    `ties` is the rule for items of equal score. "order" keeps the order of the run: by rank, or by score and item if
    there are no ranks. "trec_eval" sorts these items by id in descending order and ignores the ranks.
    "trec_eval_float32" does the same after rounding scores to single precision, like older versions of trec_eval and
    pytrec_eval. "expected" computes the mean over all orders; only measures with a closed form of this mean accept it.
    "optimistic" uses the best order, and "pessimistic" uses the worst order.

    If the ranks of a run contradict its scores, a warning is given. In this case, the default ``ties="order"`` uses
    only the ranks, ``ties="trec_eval"`` uses only the scores, and the other rules raise an error.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.metrics import evaluate
    >>> run = pd.DataFrame({"query": "q", "item": ["a", "b", "c"], "rank": [1, 2, 3]})
    >>> qrels = pd.DataFrame({"query": "q", "item": ["a", "b", "c"],
    ...     "relevance": [0, 1, 1]})
    >>> evaluate(run, qrels, metrics=["map", "ndcg@2"])
              map  ndcg@2
    run
    run  0.583333  0.386853

    Two voters:

    >>> lists = pd.concat([run.assign(voter="u"), run.iloc[2:].assign(voter="v")])
    >>> evaluate(lists, qrels, metrics=["map", "num_ret"])
                map  num_ret
    voter
    u      0.583333      3.0
    v      0.500000      1.0
    """
    check_conventions({"missing_queries": missing_queries})
    check_flag("per_query", per_query)
    measures = get_measures(metrics, **conventions)
    run, qrels = plain_runs(run), plain_object(qrels)
    check_order("evaluate", run, qrels)
    if isinstance(run, list | tuple) and holds_frames(run):
        run = name_frames(run, "evaluate")
    if isinstance(run, Mapping):
        _check_names(run, qrels)
        kind, index, runs = "run", pd.Index(list(run), tupleize_cols=False), dict(run)
        if not runs:
            raise InputError("`run` must contain at least one run; the dict of runs is empty.")
        for one in runs.values():
            check_order("evaluate", one, qrels)
    else:
        kind, index, runs = "run", None, {None: encode_frame(run)}
    if not isinstance(qrels, (list, tuple, set, frozenset, Mapping)):
        qrels = check_qrels(qrels)  # once for all runs
    lists = runs.get(None)
    if isinstance(lists, RankedLists) and lists.n_lists != lists.n_queries:
        kind, index = "voter", plain_index(lists.voters)
        qrels = check_qrels(qrels)
        relevance = encode_run(qrels, lists).relevance
        graded = dict(look_up_voters(lists, qrels, relevance, np.arange(qrels.n_queries), missing_queries))
    else:
        graded = {name: _look_up(name, one, qrels, missing_queries) for name, one in runs.items()}
    # If a convention of the measure determines the value of a query without results, no warning is needed.
    own = {measure.options.get("missing_queries", missing_queries) for measure in measures.values()}
    warn_of_runs(graded, None if None in own else "zero", kind)
    values = {
        name: {key: measure._values(one.ranked) for key, measure in measures.items()} for name, one in graded.items()
    }
    if per_query:
        return note_measures(_join(values, graded, index, kind), measures)
    rows = [[measure.summarize(own[name]) for name, measure in measures.items()] for own in values.values()]
    index = pd.Index([kind]) if index is None else index
    table = pd.DataFrame(np.array(rows), index=index.rename(kind), columns=index_of_names(*measures), copy=False)
    return note_measures(table, measures)


def _join(values, graded, index, kind):
    """Return measures in a frame with a row for each query of each run; `index` contains the run names, or is None."""
    tables = {name: _table(own, graded[name].queries) for name, own in values.items()}
    if len(tables) > 1:
        return pd.concat(tables, names=[kind])
    (table,) = tables.values()
    if index is not None:
        codes = [np.zeros(len(table), dtype=np.intp), np.arange(len(table))]
        levels = [index, table.index]
        table.index = pd.MultiIndex(levels, codes, names=[kind, "query"], verify_integrity=False)
    return table


def _table(values, queries):
    """Return a frame with a column for each measure, built from an array because pandas reads dicts slowly."""
    return pd.DataFrame(np.array(list(values.values())).T, index=queries, columns=index_of_names(*values), copy=False)


def _check_names(run, qrels):
    """Raise InputTypeError if the keys of a dict `run` are queries instead of run names, or if a name is a tuple."""
    pair = next((name for name in run if isinstance(name, tuple)), None)
    if pair is not None:
        raise InputTypeError(
            f"The names of runs must be text or numbers; got {show(pair)}. Join the parts into one name."
        )
    query = next((name for name in run if name in qrels), None) if isinstance(qrels, Mapping) else None
    if isinstance(qrels, Mapping) and not qrels:
        raise InputError("`qrels` must contain at least one judgement; the dict is empty. Check its source.")
    what = "is a query of the judgements"
    if query is None and (is_nested(qrels) if isinstance(qrels, Mapping) else not is_plain(qrels)):
        held = {name: one for name, one in run.items() if not is_plain(one) or len(one)}
        if all(is_plain(one) and not is_nested(one) for one in held.values()):
            query, what = next(iter(held), None), "has the results of one query"
    if query is None:
        return
    raise InputTypeError(
        f"`run` must be a dict that maps names to runs; the key {show(query)} {what}. Name the run: "
        "evaluate({'run': run}, qrels). Or call the measure itself, such as ndcg(run, qrels)."
    )


def _look_up(name, run, qrels, missing_queries):
    try:
        return look_up(run, qrels, missing_queries)
    except (InputError, InputTypeError) as error:
        if name is None:
            raise
        raise type(error)(f"The run {show(name)} cannot be evaluated: {error}") from None
