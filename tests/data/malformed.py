"""Malformed structures of plain Python for every call that takes them, and the outcomes that are allowed.

A case is given by its seed and number. A call returns what an independent reading of the structure gives, or raises
InputError or InputTypeError with one sentence. Anything else is a fault.
"""

import math
import random
import warnings
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
import pandas as pd

from skrankagg import (
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    evaluate,
    exceptions,
    fuse,
)
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import voter_contributions
from skrankagg.metrics import average_precision, evaluate_voters, ndcg

IDS = ["a", "b", "c", "d1", "d 2", "é"]
VOTERS = ["bm25", "dense", "rm3"]
QUERIES = ["q1", "q2", "q3"]


@dataclass
class Case:
    """A call with its arguments, damaged or not."""

    kind: str
    given: list
    options: dict = field(default_factory=dict)


class Odd:
    """An object of an unknown class whose string has two lines."""

    def __repr__(self):
        return "Odd(\n)"


class Hit:
    """A hit as a client of a search engine returns it."""

    def __init__(self, doc, score):
        self.doc, self.score = doc, score


class Run:
    """A run with the attributes of ranx's Run."""

    def __init__(self, name, run):
        self.name, self._run = name, run

    def to_dict(self):
        return self._run


def _loop():
    one = []
    one.append(one)
    return one


# Created when drawn: some values can be read only once, and calls must not share them.
BAD = [
    *(lambda one=one: one for one in (None, True, 0, -1, 5, 1.5, -0.0, math.nan, math.inf, 2**63, 2**70, 10**400, 1j)),
    *(lambda one=one: one for one in ("", " ", "a", "abc", "3", "0.5", "nan", "a > b", "a > > b", b"a", "é" * 5000)),
    *(lambda one=one: one for one in ((), ("a",), ("a", 1.0), ("a", "b"), (1, 2, 3), frozenset("a"), int, CombSUM)),
    *(lambda one=one: one for one in (Decimal("1.5"), Fraction(1, 3), date(2026, 1, 2), pd.NA, pd.NaT, range(3), len)),
    *(list, dict, set, object, Odd, _loop, lambda: {"a"}, lambda: {"a": 1}, lambda: {"a": "b"}, lambda: {"q1": ["a"]}),
    *(lambda: [None], lambda: [5], lambda: ["a", "a"], lambda: ["b", 1], lambda: [["a", 1]], lambda: [("a", 1.0)]),
    *(lambda: [[]], lambda: [{}], lambda: [[[1, "a"]]], lambda: [[{"a": 1}]], lambda: {"a": {}}, lambda: {None: 1}),
    *(lambda: {"q1": {"a": {"b": 1}}}, lambda: iter(["a"]), lambda: {"a": 1}.keys(), lambda: lambda one: one),
    *(lambda: np.array([1, 2]), lambda: np.array([[1, 2]]), lambda: np.array("x"), lambda: np.float32(1)),
    *(lambda: np.array(["a", None], dtype=object), lambda: np.datetime64("2026-01-02"), lambda: Hit("a", 1.0)),
    *(lambda: pd.Series(["a", "b"]), lambda: pd.Timestamp("2026-01-02", tz="UTC"), lambda: CombSUM()),
]
HASHABLE = [
    None,
    5,
    -1,
    True,
    1.5,
    math.nan,
    "",
    " ",
    "x",
    b"a",
    ("a", 1),
    frozenset("a"),
    pd.NA,
    pd.NaT,
    date(2026, 1, 2),
]


# ---------------------------------------------------------------------- structures


def _some(rng, ids):
    return rng.sample(ids, rng.randint(1, len(ids)))


def _number(rng):
    return rng.choice([rng.randint(-3, 9), round(rng.uniform(-2, 9), 3)])


def _list(rng, shape):
    """Draw a list of items, a list of items with scores, or a dict of item to score."""
    ids = _some(rng, IDS)
    if shape == "scores":
        return {one: _number(rng) for one in ids}
    return [(one, _number(rng)) for one in ids] if shape == "pairs" else ids


def _options(rng, voters, *, scored=True):
    """Draw some options that all constructors of lists of items accept."""
    choices = {
        "duplicates": lambda: rng.choice(["error", "first", "best", "mean"]),
        "missing_ids": lambda: rng.choice(["error", "drop"]),
        "strip": lambda: rng.random() < 0.5,
        "weights": lambda: rng.choice([
            [1.0 + k for k in range(len(voters))], dict.fromkeys(voters, 2), pd.Series(1.0, index=list(voters)),
        ]),
    }  # fmt: skip
    if scored:
        choices["lower_is_better"] = lambda: rng.choice([True, list(voters)[:1]])
    if rng.random() < 0.6:
        return {}
    return {name: choices[name]() for name in rng.sample(sorted(choices), rng.randint(1, 2))}


def _lists_of_one_query(rng, shape=None):
    shape = shape or rng.choice(["items", "scores", "pairs"])
    named = {voter: _list(rng, shape) for voter in _some(rng, VOTERS)}
    return named if rng.random() < 0.5 else list(named.values())


def _runs(rng, shape=None):
    shape = shape or rng.choice(["items", "scores", "pairs"])
    return {voter: {query: _list(rng, shape) for query in _some(rng, QUERIES)} for voter in _some(rng, VOTERS)}


def _names(lists):
    return list(lists) if isinstance(lists, Mapping) else list(range(1, len(lists) + 1))


def _judgements(rng, shape=None):
    shape = shape or rng.choice(["grades", "items", "set"])
    found = {}
    for query in _some(rng, QUERIES):
        ids = _some(rng, IDS)
        found[query] = {one: rng.randint(0, 3) for one in ids} if shape == "grades" else ids
        if shape == "set":
            found[query] = set(ids)
    return found


def _make_runs(rng):
    runs = _runs(rng)
    options = _options(rng, runs, scored=not isinstance(next(iter(next(iter(runs.values())).values())), list))
    return [[Run(name, run) for name, run in runs.items()] if rng.random() < 0.1 else runs], options


def _make_lists(rng):
    lists = _lists_of_one_query(rng)
    first = lists[0] if isinstance(lists, list) else next(iter(lists.values()))
    options = _options(rng, _names(lists), scored=isinstance(first, dict))
    return [lists], options | ({"query": rng.choice([7, "q"])} if rng.random() < 0.2 else {})


def _make_hits(rng):
    shape = rng.choice(["dicts", "objects", "function"])
    lists = {}
    for voter in _some(rng, VOTERS):
        pairs = [(one, _number(rng)) for one in _some(rng, IDS)]
        lists[voter] = [Hit(*one) if shape == "objects" else {"doc": one[0], "score": one[1]} for one in pairs]
    options = {"key": "doc"}
    if shape == "function":
        options["key"] = lambda hit: hit["doc"]
    if rng.random() < 0.6:
        options["score"] = (lambda hit: hit["score"]) if shape == "function" else "score"
    given = lists if rng.random() < 0.5 else list(lists.values())
    more = _options(rng, _names(given), scored="score" in options)
    more.pop("missing_ids", None)
    return [given], options | more


def _make_ballots(rng):
    ballots = []
    for _ in range(rng.randint(1, 5)):
        ids = _some(rng, IDS)
        if rng.random() < 0.5:
            ballots.append("".join(one + rng.choice([" > ", " = ", ">"]) for one in ids).rstrip(" >="))
        else:
            ballots.append([one if rng.random() < 0.6 else [one] for one in ids])
    options = {"counts": [rng.randint(0, 9) for _ in ballots]} if rng.random() < 0.6 else {}
    return [ballots], options | ({"strip": True} if rng.random() < 0.2 else {})


def _make_wide(rng):
    lists = {voter: _some(rng, IDS) for voter in _some(rng, VOTERS)}
    length = max(map(len, lists.values()))
    return [{voter: one + [None] * (length - len(one)) for voter, one in lists.items()}], {}


def _make_matrix(rng):
    n, m = rng.randint(1, 4), rng.randint(1, 3)
    matrix = [[rng.choice([_number(rng), None if rng.random() < 0.2 else 1.0]) for _ in range(m)] for _ in range(n)]
    matrix[0][0] = 1.0
    options = {"kind": rng.choice(["score", "rank"])}
    if options["kind"] == "rank":
        matrix = [[None if one is None else abs(one) for one in row] for row in matrix]
    if rng.random() < 0.4:
        options["items"] = IDS[:n]
    if rng.random() < 0.4:
        options["voters"] = VOTERS[:m]
    return [matrix], options


def _make_scores(rng):
    n, m, voters = rng.randint(1, 3), rng.randint(1, 4), VOTERS[: rng.randint(1, 3)]
    cube = [
        [[rng.choice([_number(rng), None if rng.random() < 0.2 else 1.0]) for _ in range(m)] for _ in range(n)]
        for _ in voters
    ]
    cube[0][0][0] = 1.0
    options = {"items": IDS[:m]} if rng.random() < 0.4 else {}
    if rng.random() < 0.4:
        options["queries"] = [f"q{k}" for k in range(n)]
    return [dict(zip(voters, cube, strict=True)) if rng.random() < 0.6 else cube], options


def _make_labels(rng):
    labels = [rng.choice(IDS) for _ in range(rng.randint(1, 5))]
    return [labels], {"queries": [f"q{k}" for k in range(len(labels))]} if rng.random() < 0.4 else {}


def _make_comparisons(rng):
    pairs = [rng.sample(IDS, 2) for _ in range(rng.randint(1, 5))]
    table = {"winner": [one for one, _ in pairs], "loser": [other for _, other in pairs]}
    options = {}
    if rng.random() < 0.4:
        table["tie"], options["tie"] = [rng.random() < 0.5 for _ in pairs], "tie"
    if rng.random() < 0.4:
        table["judge"], options["voter"] = [rng.choice(VOTERS) for _ in pairs], "judge"
    return [table], options


def _make_qrels(rng):
    return [_judgements(rng)], {}


def _make_evaluate(rng):
    shape = rng.choice(["items", "scores"])
    runs = _runs(rng, shape)
    qrels = _judgements(rng)
    if rng.random() < 0.15:
        runs, qrels = qrels, runs
    elif rng.random() < 0.15:
        runs = next(iter(runs.values()))
    elif rng.random() < 0.2:
        qrels = Qrels.from_dict(qrels)
    return [runs, qrels], {"metrics": "mrr", "missing_queries": "zero"} | (
        {"per_query": True} if rng.random() < 0.2 else {}
    )


def _make_measure(rng):
    run = next(iter(_runs(rng, rng.choice(["items", "scores"])).values()))
    return [run, _judgements(rng)], {}


def _make_measure_of_lists(rng):
    n = rng.randint(1, 3)
    lists = [_list(rng, "items") for _ in range(n)]
    return [lists, [_list(rng, rng.choice(["items", "scores"])) for _ in range(n)]], {}


def _make_fuse(rng):
    shape = rng.choice(["items", "scores", "pairs"])
    lists = _lists_of_one_query(rng, shape)
    options = {}
    if rng.random() < 0.3:
        options["weights"] = [1.0] * len(lists) if rng.random() < 0.5 else dict.fromkeys(_names(lists), 2)
        if not isinstance(lists, Mapping):
            options["weights"] = [1.0] * len(lists)
    if rng.random() < 0.5:
        options["aggregator"] = rng.choice([CombSUM, BordaCount, Copeland, ReciprocalRankFusion])()
        if isinstance(options["aggregator"], CombSUM) and shape == "items":
            options["aggregator"] = CombSUM(norm="rank")
    if rng.random() < 0.3:
        options["top"] = 2
    if rng.random() < 0.2:
        options["explain"] = True
        options.pop("aggregator", None)
    return [lists], options


def _make_fuse_of_hits(rng):
    hits, options = _make_hits(rng)
    return hits, {"key": "doc"} if options["key"] == "doc" else {"key": lambda hit: hit["doc"]}


def _make_batch(rng):
    lists = [_lists_of_one_query(rng, "items") for _ in range(2)]
    if len({type(one) for one in lists}) > 1:  # names for all queries or for none
        lists = [list(one.values()) if isinstance(one, Mapping) else one for one in lists]
    return [lists], {"aggregator": Copeland()} if rng.random() < 0.5 else {}


def _make_plain(rng):
    return [_runs(rng) if rng.random() < 0.5 else _lists_of_one_query(rng)], {}


def _make_comparator(rng):
    return [_runs(rng, "scores"), _judgements(rng)], {}


# ---------------------------------------------------------------------- calls


def _frame(table):
    """Return a frame if pandas builds one without a warning, otherwise the structure unchanged."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return pd.DataFrame(table)
        except Exception:
            return table


def _comparator(runs, judgements):
    methods = [("borda", BordaCount()), ("rrf", ReciprocalRankFusion())]
    return Comparator(methods, metrics="mrr", qrels=judgements, error_score="raise").fit(runs)


CALLS = {
    "from_runs": (_make_runs, RankedLists.from_runs),
    "from_lists": (_make_lists, RankedLists.from_lists),
    "from_hits": (_make_hits, RankedLists.from_hits),
    "from_ballots": (_make_ballots, RankedLists.from_ballots),
    "from_wide": (_make_wide, lambda table, **options: RankedLists.from_wide(_frame(table), **options)),
    "from_matrix": (_make_matrix, RankedLists.from_matrix),
    "from_scores": (_make_scores, RankedLists.from_scores),
    "from_comparisons": (_make_comparisons, lambda t, **options: RankedLists.from_comparisons(_frame(t), **options)),
    "Qrels.from_dict": (_make_qrels, Qrels.from_dict),
    "Qrels.from_labels": (_make_labels, Qrels.from_labels),
    "evaluate": (_make_evaluate, evaluate),
    "ndcg": (_make_measure, ndcg),
    "average_precision": (_make_measure_of_lists, average_precision),
    "evaluate_voters": (_make_comparator, evaluate_voters),
    "fuse": (_make_fuse, fuse),
    "fuse of hits": (_make_fuse_of_hits, fuse),
    "fuse of a batch": (_make_batch, fuse),
    "fit_transform": (_make_plain, lambda lists: BordaCount().fit_transform(lists)),
    "aggregate": (_make_plain, lambda lists: Copeland().aggregate(lists)[0]),
    "fit": (_make_plain, lambda lists: BordaCount().fit(lists)),
    "voter_contributions": (_make_plain, lambda lists: voter_contributions(ReciprocalRankFusion(), lists)),
    "Comparator.fit": (_make_comparator, _comparator),
}
KINDS = list(CALLS)


# ---------------------------------------------------------------------- damage


def _damage(rng, value):
    """Return the value damaged in one place, or another value instead."""
    if isinstance(value, (dict, list, tuple, set)) and value and rng.random() < 0.8:
        if isinstance(value, dict):
            return _damage_dict(rng, dict(value))
        found = _damage_list(rng, list(value))
        return tuple(found) if isinstance(value, tuple) and rng.random() < 0.8 else found
    return rng.choice(BAD)()


def _damage_dict(rng, value):
    key, way = rng.choice(list(value)), rng.random()
    if way < 0.1:
        del value[key]
    elif way < 0.2:
        value[rng.choice(HASHABLE)] = value.pop(key)
    elif way < 0.3:
        value[rng.choice([*HASHABLE, *IDS])] = rng.choice([rng.choice(BAD)(), value[key]])
    else:
        value[key] = _damage(rng, value[key])
    return value


def _damage_list(rng, value):
    place, way = rng.randrange(len(value)), rng.random()
    if way < 0.1:
        del value[place]
    elif way < 0.2:
        value.insert(place, value[rng.randrange(len(value))])
    elif way < 0.25:
        value[place] = [value[place]]
    else:
        value[place] = _damage(rng, value[place])
    return value


def make_case(rng, kind):
    """Return an undamaged case."""
    return Case(kind, *CALLS[kind][0](rng))


def malformed_case(seed, number):
    """Return a case damaged in up to three places; the kinds alternate."""
    rng = random.Random(f"{seed}-{number}")
    case = make_case(rng, KINDS[number % len(KINDS)])
    for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 2, 3])):
        names = sorted(set(case.options) - {"metrics"})  # a measure of one's own may raise anything
        if names and rng.random() < 0.25:
            name = rng.choice(names)
            case.options[name] = _damage(rng, case.options[name])
        else:
            place = rng.randrange(len(case.given))
            case.given[place] = _damage(rng, case.given[place])
    return case


# ---------------------------------------------------------------------- the oracle


def _pairs(one):
    """Return the places of a list as (item, score); the score is None if the list has no scores."""
    if isinstance(one, Mapping):
        return list(one.items())
    places = list(one)
    if any(map(_is_pair, places)):
        return [(item, score) for item, score in places]
    return [(item, None) for item in places]


def _is_pair(one):
    if not isinstance(one, (list, tuple)) or len(one) != 2 or not isinstance(one[1], Real) or one[1] is True:
        return False
    return isinstance(one, tuple) or isinstance(one[0], str)


def _places(lists):
    """Return the set of (query, voter, item, score as a float) of lists by query and voter."""
    return {
        (query, voter, item, None if score is None else float(score))
        for voter, run in lists.items()
        for query, one in run.items()
        for item, score in _pairs(one)
    }


def _by_voter(lists):
    return dict(lists) if isinstance(lists, Mapping) else dict(enumerate(lists, 1))


def _as_runs(lists):
    """Convert lists of one query, or runs by voter, to runs by voter."""
    named = _by_voter(lists)
    nested = [
        any(isinstance(results, (list, tuple, Mapping)) for results in run.values())
        for run in named.values()
        if isinstance(run, Mapping) and run
    ]
    if (
        isinstance(lists, Mapping)
        and nested
        and all(nested)
        and all(isinstance(run, Mapping) for run in named.values())
    ):
        return named
    return {voter: {"q": one} for voter, one in named.items()}


def _runs_of(case):
    """Read runs by voter from the arguments of a constructor."""
    given, options = case.given[0], case.options
    if case.kind == "from_runs":
        return {run.name: run.to_dict() for run in given} if isinstance(given, (list, tuple)) else given
    if case.kind == "from_lists":
        return {voter: {options.get("query", "q"): one} for voter, one in _by_voter(given).items()}
    if case.kind == "from_hits":
        read = [_reader(options[name]) for name in ("key", "score") if options.get(name) is not None]
        if len(read) == 1:
            return {voter: {"q": [read[0](hit) for hit in hits]} for voter, hits in _by_voter(given).items()}
        return {
            voter: {"q": [(read[0](hit), read[1](hit)) for hit in hits]} for voter, hits in _by_voter(given).items()
        }
    return _as_runs(given)


def _reader(where):
    if callable(where):
        return where
    return lambda hit: hit[where] if isinstance(hit, Mapping) else getattr(hit, where)


def _check_lists(case, found):
    if set(case.options) - {"query", "weights", "key", "score"}:
        return None
    runs = {voter: run.to_dict() if isinstance(run, Run) else run for voter, run in _runs_of(case).items()}
    expected = _places(runs)
    if _places(found.to_runs()) != expected:
        return f"the lists are {found.to_runs()}, and not {runs}"
    return None


def _level(one):
    return list(one) if isinstance(one, (list, tuple, Set, np.ndarray)) else [one]


def _check_ballots(case, found):
    ballots, counts = case.given[0], case.options.get("counts")
    counts = [1] * len(ballots) if counts is None else [float(one) for one in counts]
    total = {}
    for ballot, count in zip(ballots, counts, strict=True):
        if hasattr(ballot, "__next__"):  # read already
            return None
        if isinstance(ballot, str):
            levels = [[one.strip() for one in level.split("=")] for level in ballot.split(">")]
        elif isinstance(ballot, (Set, Mapping)) or any(isinstance(one, Mapping) for one in ballot):
            return "a ballot without an order was read"
        else:
            levels = [_level(one) for one in ballot]
        key = tuple(frozenset(level) for level in levels)
        total[key] = total.get(key, 0) + count
    if min(counts) < 0 or not all(map(math.isfinite, counts)):
        return f"counts {counts} were read"
    rows = found.to_frame()
    weight = dict(zip(found.list_voter.tolist(), found.list_weight.tolist(), strict=True))
    read = {}
    for k, (_, one) in enumerate(rows.groupby("voter", sort=True)):
        levels = tuple(frozenset(level["item"]) for _, level in one.groupby("rank", sort=True))
        read[levels] = weight[k]
    return None if read == total else f"the ballots are {read}, and not {total}"


def _check_matrix(case, found):
    options, given = case.options, case.given[0]
    cells = {
        (k, j, float(one))
        for k, row in enumerate(given)
        for j, one in enumerate(row)
        if not (one is None or isinstance(one, str) or pd.isna(one))
    }
    frame = found.to_frame()
    items = list(options.get("items") or range(len(given)))
    voters = list(options.get("voters") or range(len(list(given[0]))))
    if options["kind"] == "rank":
        return None if len(frame) == len(cells) else f"{len(frame)} cells of {len(cells)}"
    read = {
        (items.index(item), voters.index(voter), score)
        for item, voter, score in zip(frame["item"], frame["voter"], frame["score"], strict=True)
    }
    return None if read == cells else f"the cells are {read}, and not {cells}"


def _check_scores(case, found):
    options, given = case.options, case.given[0]
    named = given if isinstance(given, Mapping) else dict(enumerate(given))
    shape = np.shape(next(iter(named.values())))
    queries, items = (list(options.get(name) or range(n)) for name, n in zip(("queries", "items"), shape, strict=True))
    cells = {
        (queries[q], voter, items[k], float(one))
        for voter, matrix in named.items()
        for q, row in enumerate(matrix)
        for k, one in enumerate(row)
        if not (one is None or isinstance(one, str) or pd.isna(one))
    }
    frame = found.to_frame()
    read = set(zip(frame["query"], frame["voter"], frame["item"], frame["score"], strict=True))
    return None if read == cells else f"the cells are {read}, and not {cells}"


def _check_labels(case, found):
    labels = list(case.given[0])
    frame = found.to_frame()
    read = dict(zip(frame["query"], frame["item"], strict=True))
    expected = dict(zip(case.options.get("queries") or range(len(labels)), labels, strict=True))
    return None if read == expected else f"the labels are {read}, and not {expected}"


def _check_qrels(case, found):
    expected = {}
    for query, judged in case.given[0].items():
        grades = judged if isinstance(judged, Mapping) else dict.fromkeys(judged, 1.0)
        expected |= {(query, item): float(grade) for item, grade in grades.items()}
    frame = found.to_frame()
    read = dict(zip(zip(frame["query"], frame["item"], strict=True), frame["relevance"], strict=True))
    return None if read == expected else f"the judgements are {read}, and not {expected}"


def _reciprocal_rank(results, grades):
    items = list(results)  # measures take no pairs
    if isinstance(results, Mapping):
        items.sort(key=lambda item: (-results[item], item))
    grades = grades if isinstance(grades, Mapping) else dict.fromkeys(grades, 1)
    return next((1 / place for place, item in enumerate(items, 1) if float(grades.get(item, 0)) > 0), 0.0)


def _check_evaluate(case, found):
    if case.options != {"metrics": "mrr", "missing_queries": "zero"}:
        return None
    runs, qrels = case.given
    if isinstance(qrels, Qrels):
        frame = qrels.to_frame()
        qrels = {query: dict(zip(one["item"], one["relevance"], strict=True)) for query, one in frame.groupby("query")}
    if not isinstance(runs, Mapping) or not isinstance(qrels, Mapping):
        return None
    runs = {name: run or {} for name, run in runs.items()}  # an empty list is an empty run too
    expected = [
        np.mean([_reciprocal_rank(run.get(query, ()), grades) for query, grades in qrels.items()])
        for run in runs.values()
    ]
    read = found["mrr"].tolist()
    return None if np.allclose(read, expected) else f"the measures are {read}, and not {expected}"


def _check_consensus(case, found):
    expected = {(query, item) for query, _, item, _ in _places(_as_runs(case.given[0]))}
    read = set(zip(found["query"], found["item"], strict=True))
    return None if read == expected else f"the items are {read}, and not {expected}"


def _check_fused(case, found):
    if {"key", "top"} & set(case.options) or (found and isinstance(found[0], list)):  # of a batch
        return None
    expected = {item for one in _by_voter(case.given[0]).values() for item, _ in _pairs(one)}
    read = [one[0] for one in found]
    scores = [one[1] for one in found]
    if sorted(map(repr, read)) != sorted(map(repr, expected)):  # NaN, in a tuple, never equals itself
        return f"the items are {read}, and not {expected}"
    return None if scores == sorted(scores, reverse=True) else f"the scores do not fall: {scores}"


CHECKS = {
    **dict.fromkeys(("from_runs", "from_lists", "from_hits"), _check_lists),
    "from_ballots": _check_ballots,
    "from_matrix": _check_matrix,
    "from_scores": _check_scores,
    "Qrels.from_dict": _check_qrels,
    "Qrels.from_labels": _check_labels,
    "evaluate": _check_evaluate,
    **dict.fromkeys(("fit_transform", "aggregate"), _check_consensus),
    "fuse": _check_fused,
}
WARNINGS = tuple(one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, UserWarning))


def fault(case):
    """Return a description of a call's mistake, or None, and whether the call returned a value."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for kind in WARNINGS:
                warnings.simplefilter("ignore", kind)
            found = CALLS[case.kind][1](*case.given, **case.options)
    except (InputError, InputTypeError) as error:
        return fault_of_message(str(error)), False
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300], False
    if case.kind not in CHECKS:
        return None, True
    try:
        return CHECKS[case.kind](case, found), True
    except Exception as error:
        return f"a structure was read that the oracle cannot read ({type(error).__name__}: {error})"[:300], True


def fault_of_message(message):
    if "\n" in message or not message.endswith(".") or not 20 < len(message) < 1000:
        return f"the message is not one sentence: {message[:300]!r}"
    if "from_frame(" in message and "from_dict(" not in message:
        return f"the advice is for a frame: {message!r}"
    return None
