"""The order of linear methods, compared with exact arithmetic on numbers of any magnitude and cancelling terms."""

import decimal
import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skrankagg import (
    BordaCount,
    CombANZ,
    CombMNZ,
    CombSUM,
    InverseSquareRank,
    PositionalScoring,
    RankBiasedCentroid,
    RankedLists,
    ReciprocalRankFusion,
    SimpleBorda,
    fuse,
)
from skrankagg.base._consensus import rank_scores
from skrankagg.exceptions import InputError

pytestmark = pytest.mark.filterwarnings("ignore::skrankagg.exceptions.RankScoreConflictWarning")
DIGITS = decimal.Context(prec=80, Emin=-(10**6), Emax=10**6)

#: Numbers whose sums cancel, exactly or but for rounding; numbers of any size; and neighbours far from 0.
CANCELLING = st.sampled_from([0.0, 0.1, 0.2, 0.3, -0.3, -0.1, -0.2, 1.0, -1.0, 2.0, 1 / 3, 2 / 3, -1 / 3])
ANY_SIZE = st.builds(lambda m, e: m * 10.0**e, st.integers(-9, 9), st.integers(-300, 299))
FAR = st.builds(lambda base, step: base + step, st.sampled_from([1e8, 1e15, 1.7e15, -1e12]), st.integers(0, 4))


def lists_of(value):
    one = st.dictionaries(st.sampled_from("abcde"), value, min_size=1, max_size=5)
    return st.lists(one, min_size=1, max_size=5)


SCORES = st.one_of(lists_of(CANCELLING), lists_of(ANY_SIZE), lists_of(FAR), lists_of(st.integers(0, 2).map(float)))
WEIGHTS = st.lists(st.sampled_from([0.0, 0.1, 0.3, 1.0, 1.0, 1.0, 3.0, 1e-200, 1e200]), min_size=5, max_size=5)


def mid_ranks(scores):
    values = list(scores.values())
    return {
        item: Fraction(sum(other > value for other in values)) + Fraction(values.count(value) + 1, 2)
        for item, value in scores.items()
    }


def exact_terms(norm, scores, n_items):
    """Return the terms of a list for its items and for absent items."""
    x = {item: Fraction(value) for item, value in scores.items()}
    ranks, length, absent = mid_ranks(scores), len(scores), Fraction(0)
    if norm is None:
        return x, absent
    if norm == "min-max":
        low, high = min(x.values()), max(x.values())
        return {item: (value - low) / (high - low) if high > low else Fraction(1) for item, value in x.items()}, absent
    if norm == "z-score":
        mean = sum(x.values()) / length
        variance = sum((value - mean) ** 2 for value in x.values()) / length
        return {
            item: root((value - mean) ** 2 / variance, value < mean) if variance else absent
            for item, value in x.items()
        }, absent
    if norm == "borda":
        absent = Fraction(n_items - length + 1, 2 * n_items)
    divisor = length if norm == "rank" else n_items
    return {item: 1 - (rank - 1) / divisor for item, rank in ranks.items()}, absent


def root(square, negative):
    with decimal.localcontext(DIGITS):
        value = Fraction((decimal.Decimal(square.numerator) / decimal.Decimal(square.denominator)).sqrt())
    return -value if negative else value


def exact_scores(norm, lists, weights, *, times_held=False):
    """Return the sum of each item's terms and the sum of their absolute values."""
    items = sorted({item for scores in lists for item in scores})
    total, size = dict.fromkeys(items, Fraction(0)), dict.fromkeys(items, Fraction(0))
    held = dict.fromkeys(items, Fraction(0))
    for scores, weight in zip(lists, map(Fraction, weights), strict=True):
        terms, absent = exact_terms(norm, scores, len(items))
        for item in items:
            term = weight * terms.get(item, absent)
            total[item] += term
            size[item] += abs(term)
            held[item] += weight * (item in terms)
    if times_held:
        return {item: total[item] * held[item] for item in items}, {item: size[item] * held[item] for item in items}
    return total, size


def check(method, lists, weights, total, size, *, may_refuse):
    rows = [
        ("q", voter, item, score, weight)
        for voter, (scores, weight) in enumerate(zip(lists, weights, strict=True))
        for item, score in scores.items()
    ]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "score", "weight"])
    try:
        found = method.fit_transform(frame).set_index("item")
    except InputError:
        assert may_refuse
        return
    largest, has_roots = max(size.values()), method.get_params().get("norm") == "z-score"
    # Of scores that are this small themselves weights may make 0.
    at_the_end = largest < Fraction(1, 10**290) and any(weight not in (0, 1) for weight in weights)
    for i in total:
        for j in total:
            gap = total[i] - total[j]
            # Roots are known to 80 digits.
            if gap == 0 or (has_roots and abs(gap) < max(size[i], size[j]) * Fraction(1, 10**60)):
                assert found.loc[i, "score"] == found.loc[j, "score"], (i, j)
            elif gap > largest * Fraction(1, 10**11) and not at_the_end:
                assert found.loc[i, "rank"] < found.loc[j, "rank"], (i, j)
    decides = [(scores, weight) for scores, weight in zip(lists, weights, strict=True) if weight]
    if len(decides) == 1 and method.get_params().get("norm", 0) is None:
        [(own, weight)] = decides
        for i in own:
            for j in own:
                # What weights make too small for floating point counts as 0.
                underflow = weight != 1 and max(abs(own[i]), abs(own[j])) * weight * min(1, weight) < 1e-300
                if own[i] > own[j] and not underflow:
                    assert found.loc[i, "rank"] < found.loc[j, "rank"], (i, j)


def is_extreme(terms, weights):
    """Return whether products of scores and weights may overflow or underflow."""
    sizes = [abs(Fraction(x)) for x in terms if x]
    used = [Fraction(weight) for weight in weights if weight]
    largest, smallest = max(used, default=1), min(used, default=1)
    if any(weight != 1 for weight in used) and sizes:
        least = min(sizes) * smallest * min(1, smallest)
    else:
        least = 1
    return max(sizes, default=0) * largest * max(1, largest) * 25 > 10**300 or least < Fraction(1, 10**290)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("norm", ["min-max", "z-score", None, "rank", "borda", "simple-borda"], ids=str)
@pytest.mark.parametrize("kind", [CombSUM, CombMNZ])
@given(lists=SCORES, weights=st.one_of(st.none(), WEIGHTS))
# A size beyond floating point; a sum below it that its factor brings back.
@example(lists=[{"a": 0.0}, {"a": 1e-108, "b": 1e109}], weights=[1e-200, 1e200])
@example(lists=[{"a": 0.0}, {"a": 1e-108, "b": 1e93}], weights=[1e200, 1e-200])
@settings(max_examples=50, deadline=None)
def test_comb_methods_order_items_as_exact_arithmetic_does(kind, norm, lists, weights):
    weights = [1.0] * len(lists) if weights is None else weights[: len(lists)]
    if not any(weights):
        weights[0] = 1.0
    total, size = exact_scores(norm, lists, weights, times_held=kind is CombMNZ)
    terms = [term for scores in lists for term in exact_terms(norm, scores, 5)[0].values()]
    check(kind(norm=norm), lists, weights, total, size, may_refuse=is_extreme(terms, weights))


def points_of_ranks(method, scores, n_items):
    """Return the points of a list for its items and for the others by a rank method's definition."""
    ranks, absent = mid_ranks(scores), Fraction(0)
    if isinstance(method, ReciprocalRankFusion):
        return {item: 1 / (Fraction(method.k) + rank) for item, rank in ranks.items()}, absent
    if isinstance(method, BordaCount):
        absent = Fraction(n_items - len(scores) + 1, 2)
    return {item: n_items + 1 - rank for item, rank in ranks.items()}, absent


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method", [BordaCount(), SimpleBorda(), ReciprocalRankFusion(), ReciprocalRankFusion(k=0.1)], ids=repr
)
@given(lists=lists_of(st.integers(0, 3).map(float)), weights=st.one_of(st.none(), WEIGHTS))
@settings(max_examples=50, deadline=None)
def test_rank_based_sums_order_items_as_exact_arithmetic_does(method, lists, weights):
    weights = [1.0] * len(lists) if weights is None else weights[: len(lists)]
    if not any(weights):
        weights[0] = 1.0
    items = sorted({item for scores in lists for item in scores})
    total = dict.fromkeys(items, Fraction(0))
    for scores, weight in zip(lists, map(Fraction, weights), strict=True):
        points, absent = points_of_ranks(method, scores, len(items))
        for item in items:
            total[item] += weight * points.get(item, absent)
    check(method, lists, weights, total, total, may_refuse=False)


def consensus(method, *lists):
    """Return the items of one query, best first, and their scores."""
    rows = [("q", f"v{voter}", item, score) for voter, scores in enumerate(lists) for item, score in scores.items()]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "score"])
    found = method.fit_transform(frame)
    return "".join(found["item"]), found["score"].tolist()


def test_combsum_ties_cancelling_terms_for_any_order_of_voters():
    matrix = [[0, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0]]
    lists = [dict(zip("abc", map(float, row), strict=True)) for row in matrix]
    for order in itertools.permutations(lists):
        items, scores = consensus(CombSUM(norm="z-score"), *order)
        assert items == "abc" and scores == [scores[0]] * 3 and abs(scores[0]) < 1e-15
    for order in itertools.permutations([{"a": 0.1, "b": 0.0}, {"a": 0.2}, {"a": -0.3}]):
        assert len(set(consensus(CombSUM(norm=None), *order)[1])) == 1


@pytest.mark.parametrize("norm", ["min-max", "z-score", None], ids=str)
@pytest.mark.parametrize("kind", [CombSUM, CombMNZ])
@pytest.mark.parametrize(
    "scores", [[1.7e15 + 2000, 1.7e15 + 1000, 1.7e15], [1e16 + 4, 1e16 + 2, 1e16], [1e8 + 2e-7, 1e8 + 1e-7, 1e8]]
)
def test_comb_methods_keep_distinct_scores_of_an_only_list(kind, norm, scores):
    own = dict(zip("cba", scores, strict=True))
    for others in ([], [{"z": 1.0}]):  # also where another list holds other items
        items, found = consensus(kind(norm=norm), own, *others)
        assert items.replace("z", "") == "cba" and len(set(found)) >= 3


DECAYS = [
    InverseSquareRank(),
    InverseSquareRank(support="log", sigma=1.0),
    RankBiasedCentroid(),
    ReciprocalRankFusion(),
    PositionalScoring(points="dowdall"),
    PositionalScoring(points="dowdall", absent="ignore"),
    SimpleBorda(),
]


def own_tail(query, n_others, length, weight):
    """Return lists of ten common items, and one list of other items with unordered ids."""
    common = [(query, f"v{voter:03}", f"i{k}", k + 1, 1.0) for voter in range(n_others) for k in range(10)]
    tail = [(query, "z", f"t{k * 7919 % length:04}", k + 1, weight) for k in range(length)]
    return pd.DataFrame([*common, *tail], columns=["query", "voter", "item", "rank", "weight"])


@pytest.mark.sampled(5)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("method", DECAYS, ids=repr)
@pytest.mark.parametrize(("n_others", "length", "weight"), [(100, 910, 1.0), (3, 900, 0.01), (100, 30, 1e-11)])
def test_linear_methods_keep_the_order_of_items_of_a_single_list(method, n_others, length, weight):
    one = own_tail("a", n_others, length, weight)
    longer = [("b", "v", f"x{k:04}", k + 1, 1.0) for k in range(1000)]
    alone = method.fit_transform(one)
    among = method.fit_transform(pd.concat([one, pd.DataFrame(longer, columns=one.columns)]))
    pd.testing.assert_frame_equal(among[among["query"] == "a"], alone)
    own = alone[alone["item"].str[0] == "t"]
    assert own["item"].tolist() == one.loc[one["voter"] == "z", "item"].tolist()
    assert own["score"].is_unique
    lists = {voter: rows["item"].tolist() for voter, rows in one.groupby("voter")}
    weights = one.groupby("voter")["weight"].first().to_dict()
    assert fuse(lists, method, weights=weights) == list(zip(alone["item"], alone["score"], strict=True))


@pytest.mark.parametrize("method", [*DECAYS[:4], CombSUM(norm=None)], ids=repr)
def test_linear_methods_keep_the_orders_of_interleaved_single_lists(method):
    rows = [("q", voter, f"i{k}", k + 1, 2 - k / 10, 1.0) for voter in "abc" for k in range(10)]
    for voter, weight in (("y", 1e-11), ("z", 1.3e-11)):
        rows += [("q", voter, f"{voter}{k * 7919 % 900:03}", k + 1, 1 - k / 1e3, weight) for k in range(900)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score", "weight"])
    found = method.fit_transform(frame)
    for voter in "yz":
        own = found[found["item"].str[0] == voter]
        assert own["item"].tolist() == frame.loc[frame["voter"] == voter, "item"].tolist() and own["score"].is_unique
    lists = {voter: dict(zip(rows["item"], rows["score"], strict=True)) for voter, rows in frame.groupby("voter")}
    weights = frame.groupby("voter")["weight"].first().to_dict()
    assert fuse(lists, method, weights=weights) == list(zip(found["item"], found["score"], strict=True))


@given(
    value=st.lists(st.integers(0, 6), min_size=1, max_size=12),
    source=st.lists(st.sampled_from([-2, -1, 0, 0, 1, 2]), min_size=12, max_size=12),
)
def test_rank_scores_splits_classes_of_equal_scores_by_their_sources(value, source):
    value, source = np.sort(value)[::-1], source[: len(value)]
    # All are within the tolerance, so that the sources alone divide them.
    score = 1 + value * 1e-15
    ones = np.ones(len(score))
    _, found = rank_scores(
        np.array([0, len(score)]), score, ones, ones[:1], scale=1e3 * ones, sole_source=lambda: np.array(source)
    )
    classes, last = [], None
    for one in sorted(set(value), reverse=True):
        new = {mine for other, mine in zip(value, source, strict=True) if other == one and mine != -1}
        held = set() if last is None else classes[-1][1]
        if last is None or new & held or (-2 in new and held) or (-2 in held and new):
            classes.append((1 + one * 1e-15, set()))
        classes[-1][1].update(new)
        last = one
    assert list(dict.fromkeys(found)) == [first for first, _ in classes]


@pytest.mark.parametrize("kind", [CombSUM, CombMNZ])
def test_comb_methods_do_not_tie_items_because_of_lists_of_weight_0(kind):
    # The score of item a, of which only a list of weight 0 speaks, is 0, as that of b; e is not 0 next to d either.
    rows = [("q", "v", "b", 0.0, 1.0), ("q", "v", "e", 1.0, 1.0), ("q", "v", "d", 1e12, 1.0), ("q", "w", "a", 0.0, 0.0)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "score", "weight"])
    found = kind(norm=None).fit_transform(frame)
    assert found["item"].tolist() == ["d", "e", "b", "a"] and found["score"].tolist() == [1e12, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("factor", [1e300, 1e155, 1e-155, 1e-300, 1e-320])
@pytest.mark.parametrize("norm", ["min-max", "z-score"])
def test_combsum_norms_are_independent_of_the_scale_of_scores(norm, factor):
    lists = [{"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 5.0, "c": 4.0, "d": -1.0}]
    expected = consensus(CombSUM(norm=norm), *lists)
    found = consensus(CombSUM(norm=norm), *({item: score * factor for item, score in one.items()} for one in lists))
    assert found[0] == expected[0]
    assert found[1] == pytest.approx(expected[1], rel=1e-3 if factor == 1e-320 else 1e-12)  # 1e-320 has four digits


@pytest.mark.parametrize("norm", ["min-max", "z-score", "sum", "l2"])
def test_combsum_norms_are_independent_of_scores_of_other_queries(norm):
    least = 5e-324
    one = [("q", "v", "a", 1.0), ("q", "v", "b", 3 * least), ("q", "v", "c", 0.0)]
    other = [("r", "v", "a", 1e300), ("r", "v", "b", 1.0)]
    one, other = (pd.DataFrame(rows, columns=["query", "voter", "item", "score"]) for rows in (one, other))
    among = CombSUM(norm=norm).fit_transform(pd.concat([one, other]))
    pd.testing.assert_frame_equal(among[among["query"] == "q"], CombSUM(norm=norm).fit_transform(one), check_exact=True)


def test_combsum_handles_the_whole_range_of_floats():
    assert consensus(CombSUM(), {"a": -1.5e308, "b": 0.0, "c": 1.5e308}) == ("cba", [1.0, 0.5, 0.0])
    assert consensus(CombSUM(), {"a": 1e300, "b": 1e300}, {"b": 1.0, "c": 0.0})[1] == [2.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("method", "lists", "weights"),
    [
        (CombSUM(norm=None), [{"a": 1.5e308}, {"a": 1.5e308}], [1, 1]),
        (CombSUM(norm=None), [{"a": 1.5e308, "b": 1.0}, {"a": -1.5e308}, {"a": -1.5e308}], [1, 1, 1]),
        (CombSUM(norm=None), [{"a": 1e-200, "b": 2e-200}], [1e-200]),
        (CombMNZ(), [{"a": 1.0, "b": 0.0}, {"b": 2.0, "a": 1.0}], [1e200, 1e200]),
        (CombMNZ(), [{"a": 1.0, "b": 0.0}, {"b": 2.0, "a": 1.0}], [1e-200, 1e-200]),
        # A sum that counts as 0 would be the greatest product, or mean, or more than rounding beside it.
        (CombMNZ(norm=None), [{"a": 0.0}, {"a": 1e-108, "b": 1e93}], [1e200, 1e-200]),
        (CombMNZ(norm=None), [{"a": 0.0}, {"a": 1e-310, "b": 1e-280}], [1e20, 1]),
        (CombANZ(norm=None), [{"a": 1e-150}, {"b": 1e-160}], [1e-200, 1]),
        (CombANZ(norm=None), [{"a": 1.0, "b": 0.0}], [1e-310]),
    ],
)
def test_linear_methods_reject_sums_that_overflow(method, lists, weights):
    rows = [
        ("q", voter, item, score, weight)
        for voter, (scores, weight) in enumerate(zip(lists, weights, strict=True))
        for item, score in scores.items()
    ]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "score", "weight"])
    with pytest.raises(
        InputError,
        match=r"The sums of query 'q' must fit into float64; .* got weights from",
    ):
        method.fit_transform(frame)


def weighted(*rows):
    return pd.DataFrame(rows, columns=["query", "voter", "item", "score", "weight"])


def test_combsum_treats_underflow_as_0():
    """Probabilities of a classifier may be subnormal; one of them must not keep other items from being ranked."""
    first = [
        ("q", "u", "a", 0.9, 0.5),
        ("q", "u", "b", 1e-309, 0.5),
        ("q", "v", "a", 0.2, 2.0),
        ("q", "v", "c", 0.1, 2.0),
    ]
    tiny = [("r", "u", "a", 1e-309, 0.5), ("r", "u", "b", 3e-309, 0.5)]
    plain = [("s", "u", "a", 0.7, 1.0), ("s", "u", "b", 1e-310, 1.0), ("s", "u", "c", 1e-312, 1.0)]
    found = CombSUM(norm=None).fit_transform(weighted(*first, *tiny, *plain))
    assert found["item"].tolist() == [*"acb", *"ab", *"abc"]
    expected = [0.9 * 0.5 + 0.2 * 2.0, 0.2, 0.0, 0.0, 0.0, 0.7, 1e-310, 1e-312]
    np.testing.assert_allclose(found["score"], expected, rtol=1e-12, atol=0)
    for rows in (first, tiny, plain):
        alone = CombSUM(norm=None).fit_transform(weighted(*rows))
        whole = found[found["query"] == rows[0][0]].reset_index(drop=True)
        pd.testing.assert_frame_equal(whole, alone)
    for method in (CombMNZ(norm=None), CombMNZ(gamma=0.5, norm=None), CombSUM(norm="l2"), CombSUM(norm="max")):
        assert method.fit_transform(weighted(*first, *tiny, *plain))["item"].tolist()[:3] == list("acb")


@pytest.mark.parametrize(
    ("method", "weight", "score"),
    [(CombSUM(norm=None), 1e-291, 1e-291), (CombSUM(norm=None), 1e-295, 1e-295), (CombMNZ(norm=None), 1e-150, 1e-300)],
)
def test_methods_accept_small_weights_without_underflow(method, weight, score):
    found = method.fit_transform(weighted(("q", "u", "a", 0.5, weight), ("q", "u", "b", 1.0, weight)))
    assert found["item"].tolist() == ["b", "a"]
    np.testing.assert_allclose(found["score"], [score, score / 2], rtol=1e-12)


@pytest.mark.parametrize("method", [CombMNZ(norm=None), CombMNZ(gamma=0.5, norm=None), CombANZ(norm=None)])
def test_methods_accept_sums_that_underflow_under_every_scale(method):
    # The heavy list gives item a nothing, so that its sum is too small; item c has no more in a light list.
    rows = [("q", "u", "a", 0.0, 1e20), ("q", "v", "a", 1e-310, 1.0), ("q", "v", "b", 1e30, 1.0)]
    rows += [("q", "w", "c", 0.0, 1e-200), ("q", "x", "d", 1e-310, 0.0)]
    found = method.fit_transform(weighted(*rows))
    assert found["item"][0] == "b" and found["score"].tolist() == [1e30, 0, 0, 0]


@pytest.mark.parametrize("weight", [1e100, 1e-100])
@pytest.mark.parametrize("method", [CombMNZ(norm=None), CombMNZ(gamma=0.5, norm=None), CombANZ(norm=None)])
def test_methods_accept_sums_of_zeros_with_extreme_weights(method, weight):
    rows = [("q", "u", "a", 0.0, weight), ("q", "u", "b", 0.0, weight), ("q", "v", "a", 1.0, 0.0)]
    assert method.fit_transform(weighted(*rows))["score"].tolist() == [0, 0]


def test_combsum_treats_weights_that_underflow_next_to_others_as_0():
    found = CombSUM().fit_transform(
        weighted(("q", "u", "a", 2.0, 1e-300), ("q", "u", "b", 1.0, 1e-300), ("q", "v", "b", 1.0, 1.0))
    )
    assert found["item"].tolist() == ["b", "a"] and found["score"].tolist() == [1.0, 1e-300]


def test_combmnz_ties_are_independent_of_item_names():
    # The fourth item's score is within rounding of 0, the score of the others, of which one is in its list's company,
    # one in another list, one in both and one in a list of weight 0.
    lists = [{"both": 0, "silent": 0}, {"both": 0, "first": 1, "near": -1e-17}, {"both": 0, "other": 0}]
    names = ("both", "silent", "first", "near", "other")
    found = set()
    for ids in itertools.permutations(range(5)):
        named = dict(zip(names, ids, strict=True))
        encoded = RankedLists.from_lists([{named[item]: score for item, score in one.items()} for one in lists])
        consensus = CombMNZ(norm=None).fit_transform(encoded.with_list_weight([0, 0.25, 0.25])).set_index("item")
        found.add(tuple(consensus.loc[list(ids), "score"]))
    assert found == {(0.0, 0.0, 0.0625, -6.25e-19, 0.0)}
