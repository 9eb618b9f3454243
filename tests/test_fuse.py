"""fuse of plain lists, compared with transform of the same lists."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    Copeland,
    Kemeny,
    Minimax,
    PlackettLuce,
    RankedLists,
    ReciprocalRankFusion,
    fuse,
)
from skrankagg.aggregators import LocalKemenization
from skrankagg.base import BaseAggregator
from skrankagg.exceptions import ExposureWarning, InputError, InputTypeError
from skrankagg.preprocessing import TopK
from skrankagg.utils.discovery import all_aggregators, default_methods
from skrankagg.utils.estimator_checks import example_lists

METHODS = [method for _, method in default_methods()]
UNNUMBERED = [method for method in METHODS if method._any_numbering]


def transformed(lists, method, weights=None):
    """Return the result of transform for the lists: (item, score), best first."""
    encoded = RankedLists.from_lists(lists)
    if weights is not None:
        encoded = encoded.with_list_weight(weights)
    consensus = method.transform(encoded)
    return list(zip(consensus["item"], consensus["score"], strict=True))


def random_lists(rng, *, scores, n_lists=3, n_items=9):
    lists = []
    for _ in range(n_lists):
        ids = [f"d{k}" for k in rng.permutation(n_items)[: rng.integers(3, n_items + 1)]]
        values = rng.integers(0, 6, len(ids)) / 4  # few values, so that they tie
        lists.append(dict(zip(ids, values.tolist(), strict=True)) if scores else ids)
    return lists


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
@pytest.mark.sampled(1)
@pytest.mark.twice
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_fuse_equals_transform_for_every_method(method):
    rng = np.random.default_rng(0)
    scores = [True] if method.__sklearn_tags__().aggregator_tags.needs_scores else [True, False]
    batch = [random_lists(rng, scores=scored, n_lists=2 + k) for scored in scores for k in range(4)]
    found = [fuse(lists, method) for lists in batch]
    for lists, one in zip(batch, found, strict=True):
        assert same(one, transformed(lists, method), method)
        assert same(fuse(lists, method, top=2), one[:2], method)
    for few, one in zip(fuse(batch[:4], method, top=3), found[:4], strict=True):
        assert same(few, one[:3], method)


def same(found, expected, method):
    """Return whether results are bitwise equal, or within the tolerance of a fitted model."""
    if not isinstance(method, PlackettLuce):
        return found == expected
    items, scores = (list(part) for part in zip(*found, strict=True))
    return items == [item for item, _ in expected] and scores == pytest.approx([score for _, score in expected])


ids = st.one_of(st.integers(-3, 8), st.integers(0, 1).map(lambda k: k + 2**60))
numbers = st.one_of(st.integers(-4, 4), st.sampled_from([0.1, 0.2, 0.1 + 0.2, 0.3, -1e-17, 1e-13, 1e9]))


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.twice
@given(
    lists=st.lists(st.dictionaries(ids, numbers, max_size=8), min_size=1, max_size=5).filter(any),
    method=st.sampled_from(UNNUMBERED),
    data=st.data(),
)
@settings(max_examples=150, deadline=None)
def test_fuse_is_bitwise_equal_to_transform_for_any_numbering(lists, method, data):
    # There are no warnings about lists of two items here; tests/conftest.py explains why.
    weights = data.draw(
        st.none() | st.lists(st.sampled_from([0, 0.25, 1, 3]), min_size=len(lists), max_size=len(lists))
    )
    held = [v for v, one in enumerate(lists) if one]
    given = {v + 1: lists[v] for v in held}, method, None if weights is None else [weights[v] for v in held]
    try:
        expected = transformed(*given)
    except InputError:  # no positive score, or logarithms of small weights
        with pytest.raises(InputError, match=r"must be above 0|lists weigh"):
            fuse(lists, method, weights=weights)
        return
    assert fuse(lists, method, weights=weights) == expected
    if type(method)._contributions is BaseAggregator._contributions:
        return
    explained = fuse(lists, method, weights=weights, explain=True)
    assert [one[:2] for one in explained] == expected
    largest = max(abs(share) for *_, shares in explained for share in shares)
    for _, score, shares in explained:
        assert sum(shares) == pytest.approx(score, rel=1e-12, abs=len(lists) * 1e-12 * largest)


def test_fuse_accepts_every_form_of_lists():
    lists = [{"d1": 3.0, "d2": 2.0, "d4": 1.0}, {"d2": 0.9, "d1": 0.8, "d3": 0.1}]
    expected = fuse(lists, CombSUM())
    assert expected[0] == ("d1", pytest.approx(1.875))
    pairs = [list(one.items()) for one in lists]
    assert fuse(pairs, CombSUM()) == transformed(pairs, CombSUM()) == expected
    assert fuse([[list(pair) for pair in one] for one in pairs], CombSUM()) == expected
    assert fuse([pairs[0][::-1], tuple(pairs[1])], CombSUM()) == expected
    assert fuse({"a": lists[0], "b": pairs[1]}, CombSUM()) == expected
    hits = [[{"id": item, "score": score} for item, score in one] for one in pairs]
    assert fuse(hits, CombSUM(), key=lambda hit: (hit["id"], hit["score"])) == expected

    ranks = fuse([list(one) for one in lists])
    assert ranks == fuse([np.array(list(one)) for one in lists]) == fuse([pd.Series(list(one)) for one in lists])
    assert ranks == fuse(hits, key="id") == fuse(lists) == fuse([lists[0], [], lists[1], {}])

    @dataclass
    class Hit:
        id: str

    assert ranks == fuse([[Hit(item) for item in one] for one in lists], key="id")


def test_fuse_distinguishes_a_batch_from_a_query():
    ids = [["d1", "d2", "d3"], ["d3", "d1"]]
    scores = [{"d1": 2.0, "d2": 1.0, "d3": 0.5}, {"d3": 1.0, "d1": 0.5}]
    named = {"bm25": ids[0], "dense": ids[1]}
    for query in (ids, scores, named, {"a": scores[0], "b": scores[1]}, [list(one.items()) for one in scores]):
        assert fuse([query, query]) == [fuse(query)] * 2
        assert fuse([query, query], Copeland(), top=1) == [fuse(query, Copeland(), top=1)] * 2
    # A list of two integers is a list of ids; a pair of integers is a tuple.
    assert fuse([[[1, 2], [2, 1, 3]], [[2, 1], [1, 2]]]) == [fuse([[1, 2], [2, 1, 3]]), fuse([[2, 1], [1, 2]])]
    assert fuse([[(1, 2), (2, 5), (3, 1)], [(2, 1), (4, 0), (1, 3)]], CombSUM())[0] == (2, 1 + 1 / 3)
    assert fuse([[], []]) == fuse([]) == fuse({"bm25": [], "dense": []}) == []
    assert fuse([ids, [[], []], ids], Kemeny()) == [fuse(ids, Kemeny()), [], fuse(ids, Kemeny())]
    assert fuse([hits := [[{"id": "a"}, {"id": "b"}], [{"id": "b"}]], hits], key="id") == [fuse(hits, key="id")] * 2


def test_fuse_accepts_ids_of_any_ordered_type():
    for make in (int, str, lambda k: UUID(int=k), lambda k: date(2026, 1, k), lambda k: bytes([k]), np.int64):
        lists = [[make(k) for k in one] for one in ([3, 1, 2], [2, 3, 5], [4, 3, 9])]
        found = fuse(lists)
        assert [item for item, _ in found] == [make(k) for k in (3, 2, 4, 1, 5, 9)]
        assert [type(item) for item, _ in found] == [type(make(1))] * 6
    mixed = [["1", "2", "3"], ["1", 2, "3"]]
    with pytest.raises(InputTypeError, match=r"list 2 has 2 of type int \(the first id is '1'\)"):
        fuse(mixed)
    with pytest.raises(InputTypeError, match="of one sortable type"):
        fuse([[None, "a"], ["a"]])
    with pytest.raises(InputTypeError, match="of one sortable type"):
        fuse([[float("nan"), 1.0], [2.0]])
    with pytest.raises(InputTypeError, match="of one sortable type"):
        fuse([[frozenset("a"), frozenset("b")], [frozenset("b")]])
    with pytest.raises(InputTypeError, match=r"must be hashable.*key="):
        fuse([[{"id": "a", "title": "x"}], [{"id": "b", "title": "y"}]])


@pytest.mark.parametrize(
    ("lists", "kwargs", "error", "words"),
    [
        ([["a", "b", "a"]], {}, InputError, r"list 1 repeats 'a'.*or pass duplicates='first'"),
        ({"bm25": ["a"], "dense": ["b", "c", "b"]}, {}, InputError, "list 'dense' repeats 'b'"),
        ([{"a": 1.0}, ["a", "b"]], {"aggregator": CombSUM()}, InputError, "list 1 has none. Give each list scores"),
        ([[("a", 1.0), ("b",)]], {}, InputError, r"has \('b',\)"),
        ([[("a", 1.0), "b"]], {}, InputError, "has 'b'"),
        ([[("a", 1.0), ("b", float("nan"))]], {}, InputError, r"got nan for 'b' in list 1"),
        ([{"a": 1.0, "b": "high"}], {}, InputError, r"got 'high' for 'b' in list 1"),
        ([{"a": 1.0, "b": None}], {}, InputError, r"got None for 'b' in list 1"),
        ([{"a": 1.0}, {"a": 2**53 + 1, "b": 2}], {}, InputError, "9007199254740993"),
        ([{"a": 1.0, "b": 10**400}], {}, InputError, "got 1000"),
        ([["a"], ["b"]], {"weights": [1, "2"]}, InputError, "got '2' for list 2"),
        (["abc", "bcd"], {}, InputTypeError, "list 0 is of type str"),
        ([{"a", "b"}], {}, InputTypeError, "of type set"),
        ("abc", {}, InputTypeError, "got str"),
        (pd.DataFrame({"item": ["a"]}), {}, InputTypeError, "fit_transform"),
        ({1: ["a"], "b": ["a"]}, {}, InputTypeError, "Names of lists for fuse must be sortable"),
        ([["a"]], {"top": 0}, InputError, "`top` must be a whole number of at least 1"),
        ([["a"]], {"top": 1.5}, InputError, "got 1.5"),
        (
            [["a"], ["b"]],
            {"weights": [1]},
            InputError,
            "got 1 numbers and 2 lists",
        ),
        ([["a"], ["b"]], {"weights": [1, -1]}, InputError, "got -1 for list 2"),
        ([["a"], ["b"]], {"weights": {"bm25": 1}}, InputError, "unnamed lists"),
        ([["a"], ["b"]], {"weights": {3, 4}}, InputTypeError, "must be numbers, one for each list"),
        ({"u": ["a"]}, {"weights": pd.Series([1, 2], index=["u", "u"])}, InputError, "its index repeats 'u'"),
        ([pd.Series({"a": 0.5})], {}, InputTypeError, r"list 0 is a Series of numbers\. Pass series\.to_dict"),
        ([pd.Series({"a": 3, "b": 2})], {}, InputTypeError, "is a Series of numbers"),
        (
            {"bm25": ["a"], "dense": ["b"]},
            {"weights": {"bm25": 1, "dens": 1}},
            InputError,
            r"none for list 'dense', but one for 'dens' \(did you mean 'dense'\?\)",
        ),
        ([["a"]], {"aggregator": "rff"}, InputError, r"'rff' is not a method"),
        ([["a"]], {"aggregator": "rrf[kk=1]"}, InputError, r"no parameter 'kk' \(did you mean 'k'\?\)"),
        ([["a"]], {"aggregator": "é" * 500}, InputError, "^.{80} is not a method; choose from"),
        ([["a"]], {"aggregator": 3}, InputTypeError, "expects an aggregator"),
        (
            {"bm25": ["a"], "dense": None},
            {"strict": True},
            InputTypeError,
            r"list 'dense' is of type NoneType\. Leave it out, or pass strict=False\.",
        ),
        (
            {"bm25": ["a"], "dense": TimeoutError()},
            {"strict": True},
            InputTypeError,
            "list 'dense' is of type TimeoutError",
        ),
        (
            {"bm25": None, "dense": TimeoutError("late")},
            {},
            InputError,
            "at least one list; got None for 'bm25', and no other",
        ),
        (
            [TimeoutError("late"), None],
            {},
            InputError,
            r"got TimeoutError\('late'\) for list 1, and no other list has arr",
        ),
        (
            {"took": 3, "timed_out": False, "hits": {"hits": [{"_id": "a", "_score": 1.0}]}},
            {},
            InputTypeError,
            r"got the response of a single client\. Wrap it in a dict, such as",
        ),
        (
            {"result": [{"id": 1, "score": 0.5, "payload": {}}], "status": "ok"},
            {},
            InputTypeError,
            "of a single client",
        ),
        ([["a"]], {"strict": 1}, InputTypeError, "`strict` must be True or False"),
        ([["a"]], {"return_items": "yes"}, InputTypeError, "`return_items` must be True or False"),
        ([["a"]], {"duplicates": "last"}, InputError, "`duplicates` must be one of"),
        ([["a"]], {"key": {"bm25": "id"}}, InputError, "must be a single key for unnamed lists"),
        ([["a"]], {"aggregator": CombSUM()}, InputError, "score"),
        ([["a", "b"]], {"aggregator": ReciprocalRankFusion(k=-1)}, ValueError, "'k' parameter"),
        ([["a", "b"]], {"aggregator": ReciprocalRankFusion(k=True)}, ValueError, "'k' parameter"),
        ([["a", "b"]], {"aggregator": CombSUM(norm=["borda"])}, ValueError, "'norm' parameter"),
        ([["a", "b"]], {"aggregator": Copeland(), "explain": True}, InputError, "not sums over the lists"),
        ([["a", "b"]], {"key": "id"}, InputError, "passed to fuse must have 'id'; hit 1 of voter 0"),
    ],
)
def test_fuse_rejects_invalid_arguments(lists, kwargs, error, words):
    with pytest.raises(error, match=words):
        fuse(lists, **kwargs)


def test_fuse_multiplies_its_weights_with_those_of_the_aggregator():
    lists = {"dense": ["a", "b", "c"], "bm25": ["c", "b", "d"]}
    by_name = fuse(lists, weights={"bm25": 0.5, "dense": 2})
    assert by_name == fuse(lists, weights=[2, 0.5]) == fuse(list(lists.values()), weights=[2, 0.5])
    own = ReciprocalRankFusion(k=30, voter_weights={"dense": 2.0, "bm25": 1.0})
    assert fuse(lists, own, weights=[1, 0.5]) == by_name
    assert fuse(list(lists.values()), ReciprocalRankFusion(k=30, voter_weights={1: 2.0, 2: 0.5})) == by_name
    assert fuse([lists, lists], Minimax(), weights=[2, 0.5]) == [fuse(lists, Minimax(), weights=[2, 0.5])] * 2
    # A list of weight 0 is ignored, but its items are ranked.
    assert [item for item, _ in fuse(lists, weights=[1, 0])] == ["a", "b", "c", "d"]


def test_fuse_with_explain_returns_contributions_in_list_order():
    lists = [["a", "b", "c"], [], ["b", "d", "e"]]
    (best, score, shares), *_ = fuse(lists, ReciprocalRankFusion(k=1), explain=True)
    assert (best, score, shares) == ("b", 1 / 3 + 1 / 2, [1 / 3, 0.0, 1 / 2])
    # Absence scores points under Borda: five items, lists of three leave 1.5 points to each of the others.
    points = {item: shares for item, _, shares in fuse(lists, BordaCount(), explain=True)}
    assert points == {"a": [5, 0, 1.5], "b": [4, 0, 5], "c": [3, 0, 1.5], "d": [1.5, 0, 4], "e": [1.5, 0, 3]}
    named = fuse({"x": {"a": 2.0, "b": 1.0, "c": 0.0}, "w": {"b": 5.0, "c": 1.0, "d": 1.0}}, CombMNZ(), explain=True)
    assert named[0] == ("b", 3.0, {"x": 1.0, "w": 2.0})
    with pytest.raises(InputError, match="not sums over the lists"):
        fuse(lists, DIBRA(Copeland()), explain=True)
    with pytest.raises(InputError, match="needs an aggregator"):
        fuse(lists, make_pipeline(TopK(2), BordaCount()), explain=True)


def test_fuse_accepts_pipelines_and_fitted_methods():
    lists = [["a", "b", "c", "d"], ["b", "a", "c"], ["c", "e", "f"]]
    pipeline = make_pipeline(TopK(2), BordaCount())
    assert fuse(lists, pipeline) == transformed(lists, pipeline)
    assert fuse([lists, lists[:2]], pipeline) == [fuse(lists, pipeline), fuse(lists[:2], pipeline)]
    learner = DIBRA(weighting="global")
    with pytest.raises(NotFittedError):
        fuse(lists, learner)
    learner.fit(RankedLists.from_lists(lists))
    assert fuse(lists, learner) == transformed(lists, learner)
    # A batch is fitted and aggregated as one data set.
    frame = example_lists()
    runs = RankedLists.from_frame(frame).to_runs()
    queries = sorted(frame["query"].unique())
    batch = [{voter: run[query] for voter, run in runs.items() if query in run} for query in queries]
    expected = DIBRA(CombSUM()).fit_transform(RankedLists.from_runs(runs))
    found = fuse(batch, DIBRA(CombSUM()))
    assert [item for one in found for item, _ in one] == expected["item"].tolist()


def test_fuse_issues_the_warnings_of_the_method():
    duels = [[f"d{k}", f"d{k + 1}"] for k in range(6)]
    with pytest.warns(ExposureWarning, match="ReciprocalRankFusion"):
        found = fuse(duels)
    with pytest.warns(ExposureWarning):
        assert found == transformed(duels, ReciprocalRankFusion(k=30))
    with pytest.raises(InputTypeError, match="got RankedLists"):
        fuse(RankedLists.from_lists(duels))


def test_fuse_handles_large_queries_and_threads():
    rng = np.random.default_rng(0)
    lists = [[f"d{k}" for k in rng.permutation(30_000)[:9_000]] for _ in range(3)]
    expected = transformed(lists, ReciprocalRankFusion(k=30))
    assert fuse(lists) == expected
    small = [random_lists(rng, scores=True) for _ in range(200)]
    alone = [fuse(one, CombSUM()) for one in small]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda one: fuse(one, CombSUM()), small * 4)) == alone * 4


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
@pytest.mark.parametrize(("name", "method"), default_methods(), ids=[name for name, _ in default_methods()])
def test_fuse_accepts_every_method_by_its_name(name, method):
    lists = random_lists(np.random.default_rng(3), scores=True)
    expected = fuse(lists, method)
    assert same(fuse(lists, name), expected, method)
    kind, bracket, params = name.partition("[")
    assert same(fuse([lists, lists], kind.lower() + bracket + params)[1], fuse([lists, lists], method)[1], method)


def test_fuse_accepts_synonyms_and_parameters_in_names():
    lists = [["a", "b", "c"], ["c", "d"]]
    assert fuse(lists, "rrf") == fuse(lists, ReciprocalRankFusion())
    assert fuse(lists, "RRF[k=5]") == fuse(lists, ReciprocalRankFusion(k=5)) != fuse(lists, "rrf[k=50]")
    named = {"x": lists[0], "y": lists[1]}
    by_name = "rrf[voter_weights=x:0.2,y:3]"
    assert fuse(named, by_name) == fuse(named, ReciprocalRankFusion(voter_weights={"x": 0.2, "y": 3.0}))
    for method in (CombSUM(norm="borda"), ReciprocalRankFusion(k=7, voter_weights={"x": 1.5, "y": 2}), BordaCount()):
        assert fuse(named, repr(method)) == fuse(named, method)
    assert fuse(lists, "rrf", explain=True) == fuse(lists, ReciprocalRankFusion(), explain=True)
    learners = set(all_aggregators()) - {name.partition("[")[0] for name, _ in default_methods()}
    for name in learners:  # which need judgements
        with pytest.raises(NotFittedError):
            fuse([{"a": 1.0, "b": 0.5}], name)


def test_fuse_ignores_the_weights_of_lists_that_a_request_lacks():
    lists = {"bm25": ["a", "b", "c"], "dense": ["c", "b", "d"]}
    weights = {"bm25": 0.5, "late": 9, "dense": 2, "x": "unused"}
    expected = fuse(lists, weights=[0.5, 2])
    assert fuse(lists, weights=weights) == expected
    assert fuse([lists, {"dense": lists["dense"]}], weights=weights) == [
        expected,
        fuse([lists["dense"]], weights=[2]),
    ]
    assert fuse([lists] * 2, Copeland(), weights=weights) == [fuse(lists, Copeland(), weights=[0.5, 2])] * 2
    assert fuse({}, weights=weights) == fuse({"bm25": []}, weights=weights) == []
    for strict in (False, True):
        with pytest.raises(InputError, match="`weights` must have a number for each list; got none for list 'dense'"):
            fuse(lists, weights={"bm25": 1.0}, strict=strict)
    for one in (lists, [lists, lists]):
        with pytest.raises(
            InputError, match="With strict=True, `weights` must name only lists that are passed; got 'late'"
        ):
            fuse(one, weights={"bm25": 0.5, "late": 9, "dense": 2}, strict=True)
    assert fuse(lists, weights={"bm25": 0.5, "dense": 2}, strict=True) == expected


@pytest.mark.parametrize("missing", [None, TimeoutError("late"), asyncio.CancelledError()])
@pytest.mark.parametrize("options", [{}, {"aggregator": "CombSUM"}, {"aggregator": "Copeland"}, {"explain": True}])
def test_fuse_counts_lists_that_have_not_arrived_as_empty_lists(missing, options):
    hits = {"keyword": {"d1": 9.1, "d2": 7.5}, "vector": [("d2", 0.8), ("d3", 0.7)]}
    weights = {"keyword": 2, "clicks": 5, "vector": 1}
    expected = fuse({"keyword": hits["keyword"], "clicks": [], "vector": hits["vector"]}, weights=weights, **options)
    given = {"keyword": hits["keyword"], "clicks": missing, "vector": hits["vector"]}
    assert fuse(given, weights=weights, **options) == expected
    first = {"clicks": missing, **hits}  # also as the first list, of one query and of a batch
    assert [one[:2] for one in fuse(first, weights=weights, **options)] == [one[:2] for one in expected]
    batch = [list(first.values()), list(hits.values())]
    assert fuse(batch, **options) == [fuse([[], *hits.values()], **options), fuse(list(hits.values()), **options)]
    assert fuse([first, hits], **options) == [fuse({"clicks": [], **hits}, **options), fuse(hits, **options)]
    assert fuse([missing, ["d1", "d2"]], return_items=True, **{**options, "aggregator": None})[0][0] == "d1"


def test_fuse_takes_the_result_of_gather_and_passes_on_the_first_error():
    async def search(name):
        if name == "clicks":
            raise TimeoutError(name)
        return [name, "d1"]

    async def gather(*names):
        return await asyncio.gather(*map(search, names), return_exceptions=True)

    found = fuse(dict(zip("abc", asyncio.run(gather("bm25", "clicks", "dense")), strict=True)))
    assert found == fuse([["bm25", "d1"], ["dense", "d1"]])
    with pytest.raises(InputError, match=r"got TimeoutError\('clicks'\) for list 1") as caught:
        fuse(asyncio.run(gather("clicks", "clicks")))
    assert isinstance(caught.value.__cause__, TimeoutError)


def test_a_series_of_weights_is_matched_by_the_names_in_its_index():
    lists = {"bm25": ["a", "b", "c"], "dense": ["c", "b", "d"]}
    weights = {"dense": 2, "bm25": 0.5, "late": 9}
    frames = {name: pd.DataFrame({"item": of, "rank": range(1, 4)}) for name, of in lists.items()}
    expected = fuse(lists, weights=[0.5, 2])
    for one in (lists, frames):
        assert fuse(one, weights=pd.Series(weights)) == expected
    with pytest.raises(InputError, match="got 'late'"):
        fuse(lists, weights=pd.Series(weights), strict=True)
    # The index of ids may have any numbers, for example after rows were selected.
    ids = {"u": pd.Series([3, 1], index=[7, 2]), "v": pd.Series(["a"], index=["x"])}
    assert fuse([ids["u"]]) == fuse([[3, 1]]) and fuse([ids["v"]]) == fuse([["a"]])


@pytest.mark.parametrize("method", ["rrf", "Copeland"])
@pytest.mark.parametrize("duplicates", ["error", "first", "best", "mean"])
def test_a_batch_may_contain_a_query_without_lists(method, duplicates):
    one = {"u": ["a", "b"]}
    for empty in ({}, [], {"u": []}, [[]]):
        found = fuse([empty, one, empty], method, duplicates=duplicates)
        assert found == [[], fuse(one, method), []]
    unnamed = [[[], []], [["a", "b"], []]]
    assert fuse(unnamed, method, duplicates=duplicates) == [[], fuse([["a", "b"]], method)]
    assert fuse([[[]], [[], {}]], method, duplicates=duplicates) == [[], []]


def test_fuse_of_frames_ignores_the_weights_of_absent_frames():
    items = {"x": list("abc"), "y": list("cad")}
    frames = {name: pd.DataFrame({"item": of, "rank": range(1, 4)}) for name, of in items.items()}
    weights = {"x": 1.0, "y": 3.0, "z": 2.0}
    assert fuse(frames, weights=weights) == fuse(items, weights=weights)
    with pytest.raises(InputError, match="got 'z'"):
        fuse(frames, weights=weights, strict=True)
    with pytest.raises(InputError, match="return_items=True expects lists of hits"):
        fuse(frames, return_items=True)
    twice = {"x": pd.DataFrame({"item": ["a", "b", "a"], "rank": [1, 2, 3]})}
    assert fuse(twice, duplicates="first") == fuse([["a", "b"]])


@pytest.mark.parametrize("method", [None, BordaCount(), Copeland(), "rrf"])
def test_methods_of_ranks_merge_lists_with_and_without_scores(method):
    scored = {"keyword": {"a": 0.2, "b": 3.0, "c": 0.2}, "vector": ["c", "b"], "empty": []}
    ranked = {"keyword": {"a": 0.2, "b": 3.0, "c": 0.2}, "vector": {"c": 5.0, "b": 1.0}, "empty": {}}
    assert fuse(scored, method) == fuse(ranked, method)
    assert fuse([scored, scored], method) == fuse([ranked, ranked], method)
    assert fuse(scored, method, weights={"keyword": 1, "vector": 3, "empty": 1}) == fuse(
        ranked, method, weights={"keyword": 1, "vector": 3, "empty": 1}
    )


def test_methods_of_scores_refuse_lists_without_scores():
    for method in (CombSUM(), make_pipeline(TopK(2), BordaCount())):
        with pytest.raises(
            InputError, match=r"list 'b' has none\. Give each list scores, or choose a method that reads"
        ):
            fuse({"a": {"x": 1.0, "y": 2.0}, "b": ["x", "z"]}, method)


def test_fuse_accepts_methods_inside_methods_by_name():
    lists = {"a": {"x": 3.0, "y": 1.0}, "b": {"y": 2.0, "z": 1.0}}
    named = fuse(lists, "LocalKemenization[aggregator=CombSUM[norm=rank]]")
    assert named == fuse(lists, LocalKemenization(aggregator=CombSUM(norm="rank")))
    assert named == fuse(lists, "LocalKemenization(aggregator=CombSUM(norm='rank'))")
