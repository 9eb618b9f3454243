"""Ways into RankedLists for those who hold no long frame: dicts, lists, tables, matrices, comparisons and ballots."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..exceptions import InputError, InputTypeError
from ._frames import AnyFrame, Columns
from ._long_rows import Duplicates, LowerIsBetter, MissingIds, Weights, as_mapping, long_frame

__all__ = ["Sources"]

_KINDS = "a dict of item to score, or a list of items, best first"


class Sources:
    """Constructors of :class:`~skrankagg.RankedLists`, which inherits them."""

    @classmethod
    def from_runs(
        cls,
        runs: Mapping[Any, Any] | Sequence[Any],
        *,
        lower_is_better: LowerIsBetter = False,
        duplicates: Duplicates = "error",
        missing_ids: MissingIds = "error",
        weights: Weights = None,
    ) -> Self:
        """Encode runs by name, each a dict of query to results.

        Parameters
        ----------
        runs : dict of str to dict, or sequence of ranx.Run
            For each voter and query, a dict of item to score or a list of items, best first; the same kind everywhere.
        lower_is_better : bool or sequence of voters, default=False
            Whether smaller scores are better, as of distances and p-values; or the voters of which they are. Those
            scores are negated.
        duplicates : {"error", "first", "best", "mean"}, default="error"
            What becomes of an item that a list holds twice.
        missing_ids : {"error", "drop"}, default="error"
            What becomes of items that are None or NaN.
        weights : mapping of voter to float, or sequence of float in the order of the voters, default=None
            Weights of the lists; None weighs each 1.

        Returns
        -------
        RankedLists

        Raises
        ------
        TypeError
            If the runs are not dicts of dicts or lists.
        ValueError
            If there is nothing in them, or if they mix scores and lists.

        See Also
        --------
        from_lists : Lists of one query.
        to_runs : The way back.

        Examples
        --------
        >>> from skrankagg import RankedLists, ReciprocalRankFusion
        >>> lists = RankedLists.from_runs({
        ...     "bm25": {"q1": {"d1": 9.1, "d2": 7.5}, "q2": {"d3": 4.0}},
        ...     "dense": {"q1": {"d2": 0.8, "d3": 0.7}, "q2": {"d3": 0.9, "d1": 0.2}},
        ... })
        >>> ReciprocalRankFusion().fit_transform(lists).head(2)
          query item  score  rank
        0    q1   d2  0.033     1
        1    q1   d1  0.016     2
        """
        caller = "RankedLists.from_runs"
        runs = _named_runs(runs, caller)
        voter, query, items, scores = [], [], [], []
        for code, (name, run) in enumerate(runs.items()):
            if hasattr(run, "to_dict"):
                run = run.to_dict()
            if not isinstance(run, Mapping):
                raise InputTypeError(
                    f"{caller} expects a dict by query for each voter; {name!r} has {type(run).__name__}. Lists of one "
                    "query are from_lists."
                )
            for one, results in run.items():
                if isinstance(results, str) or not isinstance(results, Mapping | Sequence | np.ndarray):
                    raise InputTypeError(
                        f"{caller} expects {_KINDS}; query {one!r} of voter {name!r} has {type(results).__name__}."
                    )
                voter.append(code)
                query.append(one)
                items.append(results)
                if isinstance(results, Mapping):
                    scores.append(results.values())
        if scores and len(scores) != len(items):
            raise InputError(f"{caller} expects one kind of results, {_KINDS}; these runs hold both.")
        lengths = np.fromiter(map(len, items), dtype=np.int64, count=len(items))
        columns = {
            "query": _repeat_ids(query, lengths),
            "voter": np.repeat(np.array(voter, dtype=np.int64), lengths),
            "item": _flat_ids(items),
            **_values(scores, lengths),
        }
        frame = long_frame(
            columns,
            voters=list(runs),
            caller=caller,
            lower_is_better=lower_is_better,
            duplicates=duplicates,
            missing_ids=missing_ids,
            weights=weights,
        )
        return cls.from_frame(frame)

    @classmethod
    def from_lists(
        cls,
        lists: Mapping[Any, Any] | Sequence[Any],
        *,
        query: Hashable = "q",
        lower_is_better: LowerIsBetter = False,
        duplicates: Duplicates = "error",
        missing_ids: MissingIds = "error",
        weights: Weights = None,
    ) -> Self:
        """Encode the lists of one query.

        Parameters
        ----------
        lists : dict of voter to list, or sequence of lists
            Items, best first, or a dict of item to score. The voters of a sequence are numbered from 1.
        query : hashable, default="q"
            Id of the query.
        lower_is_better : bool or sequence of voters, default=False
            Whether smaller scores are better, as of p-values and times; or the voters of which they are.
        duplicates : {"error", "first", "best", "mean"}, default="error"
            What becomes of an item that a list holds twice.
        missing_ids : {"error", "drop"}, default="error"
            What becomes of items that are None or NaN.
        weights : mapping of voter to float, or sequence of float in the order of the lists, default=None
            Weights of the lists.

        Returns
        -------
        RankedLists

        Raises
        ------
        TypeError
            If the lists are not lists or dicts.
        ValueError
            If there is nothing in them, or if they mix scores and lists.

        See Also
        --------
        from_runs : Many queries.
        from_wide : A table with a list in each column.

        Examples
        --------
        >>> from skrankagg import BordaCount, RankedLists
        >>> lists = RankedLists.from_lists({"Smith": ["TP53", "KRAS"], "Wu": ["KRAS", "TP53", "MYC"], "Lee": ["KRAS"]})
        >>> BordaCount().fit_transform(lists)["item"].tolist()
        ['KRAS', 'TP53', 'MYC']
        """
        named = as_mapping(lists, "RankedLists.from_lists")
        return cls.from_runs(
            {voter: {query: one} for voter, one in named.items()},
            lower_is_better=lower_is_better,
            duplicates=duplicates,
            missing_ids=missing_ids,
            weights=weights,
        )

    @classmethod
    def from_wide(
        cls,
        df: AnyFrame,
        *,
        query: Hashable = "q",
        duplicates: Duplicates = "error",
        missing_ids: MissingIds = "error",
        weights: Weights = None,
    ) -> Self:
        """Encode a table in which each column is a list of items, best first.

        Parameters
        ----------
        df : DataFrame of pandas, polars or pyarrow
            Columns are voters. Shorter lists end in NaN or None.
        query : hashable, default="q"
            Id of the query.
        duplicates : {"error", "first", "best", "mean"}, default="error"
            What becomes of an item that a list holds twice; of its places, "first" and "best" keep the best.
        missing_ids : {"error", "drop"}, default="error"
            What becomes of missing items before the end of a column.
        weights : mapping of voter to float, or sequence of float in the order of the columns, default=None
            Weights of the lists.

        Returns
        -------
        RankedLists

        Raises
        ------
        TypeError
            If `df` is not a data frame.
        ValueError
            If it has no items.

        See Also
        --------
        from_matrix : A table with items as rows and numbers as cells.
        to_wide : The way back.

        Examples
        --------
        >>> import pandas as pd
        >>> from skrankagg import RankedLists
        >>> table = pd.DataFrame({"Smith": ["TP53", "KRAS", None], "Wu": ["KRAS", "TP53", "MYC"]})
        >>> RankedLists.from_wide(table).to_frame()
          query  voter  item  rank
        0     q  Smith  TP53   1.0
        1     q  Smith  KRAS   2.0
        2     q     Wu  KRAS   1.0
        3     q     Wu  TP53   2.0
        4     q     Wu   MYC   3.0
        """
        caller = "RankedLists.from_wide"
        columns = Columns(df, {}, caller)
        names = columns.available
        if len(set(names)) != len(names):
            raise InputError(f"{caller} expects columns of different names, one for each voter; got {names}.")
        parts = []
        for name in names:
            values = columns.series(name)
            known = np.flatnonzero(values.notna().to_numpy())
            parts.append(values.iloc[: known[-1] + 1 if len(known) else 0])
        lengths = np.array([len(part) for part in parts], dtype=np.int64)
        if not lengths.sum():
            raise InputError(f"{caller} expects at least one item; the table has none.")
        rows = {
            "query": pd.Series([query]).repeat(lengths.sum()).to_numpy(),
            "voter": np.repeat(np.arange(len(names)), lengths),
            "item": pd.concat([part for part in parts if len(part)], ignore_index=True),
            "rank": np.concatenate([np.arange(1, length + 1) for length in lengths]).astype(np.float64),
        }
        frame = long_frame(
            rows, voters=names, caller=caller, duplicates=duplicates, missing_ids=missing_ids, weights=weights
        )
        return cls.from_frame(frame)

    @classmethod
    def from_matrix(
        cls,
        values: ArrayLike | pd.DataFrame,
        *,
        kind: Literal["score", "rank"],
        items: Sequence[Hashable] | None = None,
        voters: Sequence[Hashable] | None = None,
        query: Hashable = "q",
        lower_is_better: LowerIsBetter = False,
        weights: Weights = None,
    ) -> Self:
        """Encode a matrix of items by voters.

        Parameters
        ----------
        values : array-like of shape (n_items, n_voters), or DataFrame
            A number for each item and voter; NaN where the voter does not rank the item. A DataFrame brings its names:
            the index are items, the columns voters.
        kind : {"score", "rank"}
            Whether the numbers are scores, higher is better, or ranks, 1 for the best.
        items, voters : sequence of hashable, default=None
            Names; None takes those of the DataFrame, and numbers from 0.
        query : hashable, default="q"
            Id of the query.
        lower_is_better : bool or sequence of voters, default=False
            Whether smaller scores are better, as of p-values and times; or the voters of which they are.
        weights : mapping of voter to float, or sequence of float in the order of the columns, default=None
            Weights of the lists.

        Returns
        -------
        RankedLists

        Raises
        ------
        ValueError
            If the matrix has not two dimensions, names do not fit, or there is nothing in it.

        See Also
        --------
        from_wide : A table with items as cells.

        Examples
        --------
        Importances of three features in two folds:

        >>> from skrankagg import RankedLists
        >>> importances = [[0.5, 0.4], [0.3, 0.6], [0.2, float("nan")]]
        >>> lists = RankedLists.from_matrix(importances, kind="score", items=["age", "dose", "sex"])
        >>> lists.to_frame()
          query  voter  item  rank  score
        0     q      0   age   1.0    0.5
        1     q      0  dose   2.0    0.3
        2     q      0   sex   3.0    0.2
        3     q      1  dose   1.0    0.6
        4     q      1   age   2.0    0.4
        """
        caller = "RankedLists.from_matrix"
        if kind not in ("score", "rank"):
            raise InputError(f"kind must be 'score' or 'rank'; got {kind!r}.")
        if isinstance(values, pd.DataFrame):
            items = list(values.index) if items is None else items
            voters = list(values.columns) if voters is None else voters
        matrix = np.asarray(values, dtype=np.float64)
        if matrix.ndim != 2:
            raise InputError(f"{caller} expects a matrix of items by voters; got {matrix.ndim} dimension(s).")
        items = list(range(matrix.shape[0])) if items is None else list(items)
        voters = list(range(matrix.shape[1])) if voters is None else list(voters)
        for name, given, size in (("items", items, matrix.shape[0]), ("voters", voters, matrix.shape[1])):
            if len(given) != size or len(set(given)) != size:
                raise InputError(
                    f"{caller} expects {size} different {name}, as the matrix has; got {len(given)}, "
                    f"{len(set(given))} of them different."
                )
        voter, item = np.nonzero(~np.isnan(matrix.T))
        if not len(voter):
            raise InputError(f"{caller} expects at least one number; the matrix holds none.")
        rows = {
            "query": pd.Series([query]).repeat(len(voter)).to_numpy(),
            "voter": voter,
            "item": pd.Series(items).take(item).to_numpy(),
            kind: matrix[item, voter],
        }
        frame = long_frame(rows, voters=voters, caller=caller, lower_is_better=lower_is_better, weights=weights)
        return cls.from_frame(frame)

    @classmethod
    def from_comparisons(
        cls,
        df: AnyFrame,
        *,
        winner: str = "winner",
        loser: str = "loser",
        tie: str | None = None,
        judge: str | None = None,
        query: Hashable = "q",
    ) -> Self:
        """Encode comparisons of two items each, such as games or choices.

        Equal comparisons become one list of two items, of their number as its weight.

        Parameters
        ----------
        df : DataFrame of pandas, polars or pyarrow
            A row for each comparison.
        winner, loser : str, default="winner", "loser"
            Columns of the two items.
        tie : str, default=None
            Column of bools, true where the two were equal; None for none.
        judge : str, default=None
            Column of who compared; then only comparisons of one judge become one list.
        query : hashable, default="q"
            Id of the query.

        Returns
        -------
        RankedLists
            Its voters are named after what they say, such as "a > b", "a = b" or "judge: a > b".

        Raises
        ------
        TypeError
            If `df` is not a data frame.
        ValueError
            If a column or an id is missing, or an item is compared with itself.

        See Also
        --------
        from_ballots : Whole ballots.
        skrankagg.aggregators.MarkovChain : With ``chain="mct"`` reads comparisons as they are.

        Examples
        --------
        >>> import pandas as pd
        >>> from skrankagg import MarkovChain, RankedLists
        >>> games = pd.DataFrame({"winner": ["a", "a", "b", "c"], "loser": ["b", "b", "c", "a"]})
        >>> lists = RankedLists.from_comparisons(games)
        >>> lists.to_frame()
          query  voter item  rank  weight
        0     q  a > b    a   1.0     2.0
        1     q  a > b    b   2.0     2.0
        2     q  b > c    b   1.0     1.0
        3     q  b > c    c   2.0     1.0
        4     q  c > a    c   1.0     1.0
        5     q  c > a    a   2.0     1.0
        >>> MarkovChain(chain="mct").fit_transform(lists)["item"].tolist()
        ['a', 'c', 'b']
        """
        caller = "RankedLists.from_comparisons"
        names = {"winner": winner, "loser": loser, "tie": tie, "judge": judge}
        columns = Columns(df, names, caller)
        columns.require("winner", "loser", *(name for name in ("tie", "judge") if names[name] is not None))
        codes, items = pd.factorize(pd.concat([columns.series(winner), columns.series(loser)], ignore_index=True))
        if (codes < 0).any():
            raise InputError(f"{caller} expects two items in each row; {int((codes < 0).sum())} are missing.")
        first, second = codes[: columns.n_rows], codes[columns.n_rows :]
        if (first == second).any():
            raise InputError(
                f"{caller} expects two different items in each row; row {int(np.argmax(first == second))} holds "
                f"{items[first[np.argmax(first == second)]]!r} twice."
            )
        tied = np.zeros(columns.n_rows, dtype=bool)
        if tie is not None:
            tied = columns.series(tie).to_numpy(dtype=bool)
        first, second = (
            np.where(tied, np.minimum(first, second), first),
            np.where(tied, np.maximum(first, second), second),
        )
        judges, judge_names = None, None
        if judge is not None:
            judges, judge_names = pd.factorize(columns.series(judge))
            if (judges < 0).any():
                raise InputError(f"{caller} expects a judge in each row; {int((judges < 0).sum())} are missing.")
        keys = [first, second, tied] if judges is None else [judges, first, second, tied]
        distinct, counts = np.unique(np.stack(keys, axis=1).astype(np.int64), axis=0, return_counts=True)
        *who, first, second, tied = distinct.T
        labels = [
            f"{items[a]} {'=' if equal else '>'} {items[b]}" for a, b, equal in zip(first, second, tied, strict=True)
        ]
        if judge_names is not None:
            labels = [f"{judge_names[j]}: {label}" for j, label in zip(who[0], labels, strict=True)]
        pair = np.stack([first, second], axis=1).ravel()
        frame = pd.DataFrame(
            {
                "query": pd.Series([query]).repeat(len(pair)).to_numpy(),
                "voter": np.repeat(np.array(labels, dtype=object), 2),
                "item": pd.Series(items).take(pair).to_numpy(),
                "rank": np.stack([np.ones(len(tied)), 2.0 - tied], axis=1).ravel(),
                "weight": np.repeat(counts.astype(np.float64), 2),
            }
        )
        return cls.from_frame(frame)

    @classmethod
    def from_ballots(
        cls, ballots: Sequence[Any], *, counts: Sequence[float] | None = None, query: Hashable = "q"
    ) -> Self:
        """Encode ballots, as text such as "A > B = C" or as lists of levels.

        Parameters
        ----------
        ballots : sequence of str, or of lists of items or of lists of tied items
            Best first. In text ">" parts the levels and "=" the items of a level; blanks around ids do not count.
        counts : sequence of float, default=None
            How many voters cast each ballot; None for one each. Equal ballots are put together.
        query : hashable, default="q"
            Id of the query.

        Returns
        -------
        RankedLists
            A list for each different ballot, weighted by its count, the voters numbered from 1.

        Raises
        ------
        ValueError
            If a ballot is empty or names an item twice, or the counts do not fit.

        See Also
        --------
        skrankagg.datasets.read_preflib : Reads ballots from files.

        Examples
        --------
        >>> from skrankagg import Copeland, RankedLists
        >>> lists = RankedLists.from_ballots(["A > B = C", "B > A", "C"], counts=[3, 2, 2])
        >>> Copeland().fit_transform(lists)["item"].tolist()
        ['A', 'B', 'C']
        """
        caller = "RankedLists.from_ballots"
        if isinstance(ballots, str) or not isinstance(ballots, Sequence | np.ndarray):
            raise InputTypeError(f"{caller} expects a sequence of ballots; got {type(ballots).__name__}.")
        counts = [1] * len(ballots) if counts is None else list(counts)
        if len(counts) != len(ballots):
            raise InputError(f"{caller} expects a count for each of {len(ballots)} ballots; got {len(counts)}.")
        total: Counter[tuple] = Counter()
        for ballot, count in zip(ballots, counts, strict=True):
            total[_levels(ballot, caller)] += count
        rows = [
            (query, voter, item, level, count)
            for voter, (levels, count) in enumerate(total.items(), 1)
            for level, tied in enumerate(levels, 1)
            for item in tied
        ]
        return cls.from_frame(pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"]))

    @classmethod
    def from_hits(
        cls,
        hits: Mapping[Any, Any] | Sequence[Any],
        *,
        key: str | Callable[[Any], Hashable],
        score: str | Callable[[Any], float] | None = None,
        query: Hashable = "q",
        lower_is_better: LowerIsBetter = False,
        duplicates: Duplicates = "error",
        weights: Weights = None,
    ) -> Self:
        """Encode the hits of search clients for one query: lists of dicts or of objects.

        Parameters
        ----------
        hits : dict of voter to list of hits, or sequence of lists of hits
            Best first. The voters of a sequence are numbered from 1.
        key : str or callable
            Where a hit has its id: a key of a dict, an attribute of an object, or a function of the hit.
        score : str or callable, default=None
            Where it has its score; None takes the order.
        query : hashable, default="q"
            Id of the query.
        lower_is_better : bool or sequence of voters, default=False
            Whether smaller scores are better, as of distances; or the voters of which they are.
        duplicates : {"error", "first", "best", "mean"}, default="error"
            What becomes of an item that a list holds twice, as of several passages of one document.
        weights : mapping of voter to float, or sequence of float in the order of the lists, default=None
            Weights of the lists.

        Returns
        -------
        RankedLists

        Raises
        ------
        ValueError
            If a hit lacks its id.

        See Also
        --------
        from_lists : Lists of ids.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> sparse = [{"_id": "d1", "_score": 9.1}, {"_id": "d2", "_score": 7.5}]
        >>> dense = [{"_id": "d2", "_score": 0.8}]
        >>> RankedLists.from_hits({"bm25": sparse, "dense": dense}, key="_id", score="_score").n_rows
        3
        """
        named = as_mapping(hits, "RankedLists.from_hits")
        rows: dict[str, list[Any]] = {"voter": [], "item": [], "rank" if score is None else "score": []}
        for code, (voter, found) in enumerate(named.items()):
            for place, hit in enumerate(found, 1):
                rows["voter"].append(code)
                rows["item"].append(_read(hit, key, voter, place))
                value = place if score is None else _read(hit, score, voter, place)
                rows["rank" if score is None else "score"].append(float(value))
        frame = long_frame(
            {"query": pd.Series([query]).repeat(len(rows["voter"])).to_numpy(), **rows},
            voters=list(named),
            caller="RankedLists.from_hits",
            lower_is_better=lower_is_better,
            duplicates=duplicates,
            weights=weights,
        )
        return cls.from_frame(frame)


def _named_runs(runs, caller):
    if isinstance(runs, Mapping):
        return dict(runs)
    if (
        isinstance(runs, Sequence)
        and len(runs)
        and all(hasattr(run, "to_dict") and hasattr(run, "name") for run in runs)
    ):
        names = [run.name for run in runs]
        if None in names or len(set(names)) != len(names):
            raise InputError(f"{caller} expects runs of different names; they are named {names}.")
        return dict(zip(names, runs, strict=True))
    raise InputTypeError(f"{caller} expects a dict of runs by voter; got {type(runs).__name__}.")


def _repeat_ids(ids, lengths):
    return pd.Series(ids).repeat(lengths).to_numpy() if len(ids) else np.array([], dtype=object)


def _flat_ids(items):
    return pd.Series(list(chain.from_iterable(items)), dtype=None if len(items) else object)


def _values(scores, lengths):
    """Scores as they are, or positions as ranks."""
    if scores:
        return {"score": np.fromiter(chain.from_iterable(scores), dtype=np.float64, count=int(lengths.sum()))}
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return {"rank": np.arange(1, int(lengths.sum()) + 1, dtype=np.float64) - starts}


def _levels(ballot, caller):
    """The levels of a ballot as a tuple of sorted tuples."""
    if isinstance(ballot, str):
        levels = [[item.strip() for item in level.split("=")] for level in ballot.split(">")]
    else:
        levels = [list(level) if isinstance(level, list | tuple | set) else [level] for level in ballot]
    items = list(chain.from_iterable(levels))
    if not items or not all(levels) or "" in items:
        raise InputError(f"{caller} expects items at every level, such as 'A > B = C'; got {ballot!r}.")
    if len(set(items)) != len(items):
        raise InputError(f"{caller} expects each item once in a ballot; got {ballot!r}.")
    return tuple(tuple(sorted(level)) for level in levels)


def _read(hit, where, voter, place):
    """The id or the score of a hit."""
    try:
        if callable(where):
            return where(hit)
        return hit[where] if isinstance(hit, Mapping) else getattr(hit, where)
    except (KeyError, AttributeError):
        raise InputError(
            f"RankedLists.from_hits expects {where!r} in every hit; hit {place} of voter {voter!r} has none."
        ) from None
