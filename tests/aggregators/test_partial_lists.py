"""PartialListsWarning: methods that give absent items no low place, on lists that contain few of the items."""

import warnings
from pathlib import Path
from statistics import median_high

import numpy as np
import pandas as pd
import pytest

from golden import GOLDEN
from skrankagg import (
    DIBRA,
    BordaCount,
    CombANZ,
    CombMAX,
    CombMED,
    CombMIN,
    CombMNZ,
    CombSUM,
    Comparator,
    LearnedWeights,
    LocalKemenization,
    MarkovChain,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    fuse,
)
from skrankagg._data._compared_items import partial_queries
from skrankagg.compat.pyflagr import MarkovChains
from skrankagg.exceptions import ExposureWarning, NotComparedWarning, PartialListsWarning
from skrankagg.inspection import voter_influence
from skrankagg.preprocessing import TopK

CHAINS = ["mc1", "mc2", "mc3", "mc4", "mct", "rank-centrality"]
LENIENT = [
    *[MarkovChain(chain=chain) for chain in CHAINS],
    *[kind(norm="z-score") for kind in (CombSUM, CombMNZ, CombANZ, CombMED, CombMIN)],
    DIBRA(MarkovChain()),
    DIBRA(CombSUM(norm="z-score"), weighting="global"),
    LocalKemenization(MarkovChain()),
]
STRICT = [
    *[MarkovChain(chain=chain, absent="last") for chain in CHAINS],
    *[kind(norm="z-score", absent_score="min") for kind in (CombSUM, CombMNZ, CombANZ, CombMED, CombMIN)],
    CombSUM(),
    CombMAX(norm="z-score"),
    BordaCount(absent="ignore"),
    ReciprocalRankFusion(),
    DIBRA(MarkovChain(absent="last")),
]


def tops(n_queries=1, n_items=20, length=6, n_voters=5, seed=0):
    """Return random lists of the best items of each voter; every item of a query is in some list."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"q{q}", f"v{v}", f"i{item:02d}", place, 1.0 / place)
        for q in range(n_queries)
        for v in range(n_voters)
        for place, item in enumerate(rng.permutation(n_items)[:length], 1)
    ]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score"])


def caught(function, *args, **kwargs):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ExposureWarning)
        warnings.simplefilter("ignore", NotComparedWarning)
        function(*args, **kwargs)
    assert {warning.category for warning in found} <= {PartialListsWarning}
    return found


def test_partial_queries_equal_a_plain_restatement():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        n_items, n_voters = int(rng.integers(1, 10)), int(rng.integers(1, 7))
        ballots = {v: rng.permutation(n_items)[: rng.integers(1, n_items + 1)].tolist() for v in range(n_voters)}
        weight = rng.integers(0, 4, n_voters)
        rows = [(v, item, place, weight[v]) for v, held in ballots.items() for place, item in enumerate(held)]
        frame = pd.DataFrame(rows, columns=["voter", "item", "rank", "weight"]).assign(query="q")
        (found,) = partial_queries(RankedLists.from_frame(frame))
        copies = [ballots[v] for v in ballots for _ in range(weight[v])]
        held = {item for one in copies for item in one}
        pairs = sum(len(one) == 2 for one in copies)
        expected = bool(copies) and 2 * median_high(map(len, copies)) < len(held) and 2 * pairs <= len(copies)
        assert found == expected
        seen.add(expected)
    assert seen == {False, True}


@pytest.mark.parametrize("aggregator", LENIENT, ids=repr)
def test_partial_lists_warning_is_issued_once_per_call_at_the_caller(aggregator):
    lists = tops(3)
    for name in ("fit", "fit_transform", "transform", "aggregate"):
        (warning,) = caught(getattr(aggregator, name), lists)
        assert Path(warning.filename) == Path(__file__), name
        assert str(warning.message).startswith(f"{type(aggregator).__name__} ")
        assert "in 3 of 3 queries the median length of the lists is less than half of the number of items" in str(
            warning.message
        )


@pytest.mark.parametrize("aggregator", STRICT, ids=repr)
def test_partial_lists_warning_is_not_issued_by_other_methods_and_values(aggregator):
    assert not caught(aggregator.fit_transform, tops(3))


def test_only_markov_chains_and_z_scores_of_the_golden_methods_are_lenient():
    for aggregator, *_ in GOLDEN:
        text = repr(aggregator)
        chain = "MarkovChain(" in text and "absent='last'" not in text
        z_score = "norm='z-score'" in text and "absent_score='min'" not in text and "CombMAX" not in text
        lenient = aggregator.__sklearn_tags__().aggregator_tags.lenient
        assert (lenient is not None) == (chain or z_score), text


@pytest.mark.parametrize(
    ("aggregator", "advice"),
    [
        (MarkovChain(), "choose absent='last'"),
        (CombSUM(norm="z-score"), "choose absent_score='min'"),
        (CombANZ(norm="z-score"), "choose absent_score='min'"),
        (CombMNZ(norm="z-score"), "choose norm='min-max'"),
        (CombMNZ(norm="z-score", gamma=0.5), "choose norm='min-max'"),
        (CombMNZ(norm="z-score", gamma=0), "choose absent_score='min'"),
    ],
    ids=repr,
)
def test_partial_lists_warning_names_the_parameter_to_change(aggregator, advice):
    (warning,) = caught(aggregator.fit_transform, tops())
    assert " and in 1 query the median length of the lists" in str(warning.message)
    assert advice in str(warning.message)
    name, value = advice.removeprefix("choose ").replace("'", "").split("=")
    assert not caught(aggregator.__class__(**{**aggregator.get_params(), name: value}).fit_transform, tops())


@pytest.mark.parametrize(("length", "warned"), [(9, True), (10, False), (11, False), (20, False)])
def test_partial_lists_warning_requires_a_median_below_half_of_the_items(length, warned):
    items = [f"i{k:02d}" for k in range(20)]
    lists = [items, *[items[start:] + items[:start] for start in range(1, 4)]]
    lists = [lists[0], *[one[:length] for one in lists[1:]]]
    assert len(caught(MarkovChain().fit_transform, lists)) == warned
    assert not caught(MarkovChain().fit_transform, [items, items, *lists[2:]])


@pytest.mark.parametrize(("n_partial", "warned"), [(2, False), (3, True)])
def test_partial_lists_warning_requires_more_than_half_of_the_queries(n_partial, warned):
    short = tops(n_partial)
    full = tops(2, length=20).assign(query=lambda frame: "full" + frame["query"])
    found = caught(MarkovChain().fit_transform, pd.concat([short, full]))
    assert len(found) == warned
    assert all("in 3 of 5 queries" in str(warning.message) for warning in found)


def test_partial_lists_warning_counts_lists_by_their_weight():
    lists = tops(n_voters=6)
    full = tops(n_voters=1, length=20).assign(voter="full")
    both = pd.concat([lists, full])
    assert caught(MarkovChain().fit_transform, both)
    for heavy in (MarkovChain(voter_weights={**dict.fromkeys(lists["voter"], 1), "full": weight}) for weight in (6, 9)):
        assert not caught(heavy.fit_transform, both)
    # Without weight, the full list adds no items.
    alike = pd.concat([tops(n_voters=1).assign(voter=f"w{k}") for k in range(3)] + [full])
    silent = {"w0": 1, "w1": 1, "w2": 1, "full": 0}
    assert caught(MarkovChain().fit_transform, alike)
    assert not caught(MarkovChain(voter_weights=silent).fit_transform, alike)


def test_partial_lists_warning_is_not_issued_for_two_voters_or_paired_comparisons():
    disjoint = [[f"a{k}" for k in range(10)], [f"b{k}" for k in range(10)]]
    assert not caught(MarkovChain().fit_transform, disjoint)
    duels = pd.DataFrame({"winner": list("abcdefgh"), "loser": list("bcdefgha")})
    for lists in (RankedLists.from_comparisons(duels), TopK(2).fit_transform(tops(3))):
        assert lists is not None
        assert not caught(MarkovChain(chain="mct").fit_transform, lists)
        with_scores = RankedLists.from_frame(tops(3)[lambda frame: frame["rank"] <= 2])
        assert not caught(CombSUM(norm="z-score").fit_transform, with_scores)


def test_partial_lists_warning_is_issued_once_by_fuse_and_other_callers():
    frame = tops(4)
    batch = [
        {voter: dict(zip(own["item"], own["score"], strict=True)) for voter, own in rows.groupby("voter")}
        for _, rows in frame.groupby("query")
    ]
    for aggregator in (MarkovChain(), CombSUM(norm="z-score")):
        assert len(caught(fuse, batch[0], aggregator)) == 1
        assert len(caught(fuse, batch, aggregator)) == 1
        assert len(caught(voter_influence, aggregator, frame)) == 1
        expected = caught(aggregator.fit_transform, frame)
        assert len(expected) == 1
    with pytest.warns(PartialListsWarning):
        fused = fuse(batch, CombSUM(norm="z-score"))
    with pytest.warns(PartialListsWarning):
        consensus = CombSUM(norm="z-score").fit_transform(frame)
    assert [item for one in fused for item, _ in one] == consensus["item"].tolist()


def test_comparator_issues_the_partial_lists_warning_for_each_method():
    frame = tops(3)
    qrels = Qrels.from_frame(
        frame.drop_duplicates(["query", "item"])[["query", "item"]].assign(
            relevance=lambda rows: rows["item"].str[-1].astype(int) % 2
        )
    )
    methods = [("mc4", MarkovChain()), ("borda", BordaCount()), ("z", CombSUM(norm="z-score")), ("max", CombMAX())]
    found = caught(Comparator(methods, qrels=qrels, verbose=False).fit, frame)
    assert [str(warning.message).partition(" ")[0] for warning in found] == ["MarkovChain", "CombSUM"]
    learned = LearnedWeights(CombSUM(norm="z-score"), qrels=qrels)
    assert len(caught(learned.fit, frame)) == 1


def test_pyflagr_names_do_not_issue_the_partial_lists_warning():
    assert not caught(MarkovChains.MC4().aggregate, input_df=tops())
