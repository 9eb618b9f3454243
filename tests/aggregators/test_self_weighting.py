"""Methods that learn voter weights, compared with plain Python oracles, and the benefit of weights."""

import math
import statistics
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from oracles import ballots, comb, order, universe
from skrankagg import (
    DIBRA,
    Agglomerative,
    CombMNZ,
    CombSUM,
    Copeland,
    PreferenceRelations,
    RankedLists,
    ReciprocalRankFusion,
    RobustRankAggregation,
    evaluate,
)
from skrankagg._arrays._list_distances import LIST_DISTANCES
from skrankagg._kernels import COMPILED
from skrankagg.aggregators._weighted._preference_relations import alpha_majority, disagreements
from skrankagg.aggregators._weighted._pruning import keep_by_weight
from skrankagg.aggregators._weighted._voter_scales import scale_weights
from skrankagg.base._weighted import outweighed_queries, pool_weights
from skrankagg.datasets import make_ranked_lists, make_rasdagen
from skrankagg.exceptions import UnequalLengthWarning
from skrankagg.preprocessing import TopK
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

SLOW_IN_PYTHON = pytest.mark.skipif(not COMPILED, reason="plain Python takes seconds, and runs its kernels elsewhere")
SEEDS = st.integers(0, 10**6)
WEIGHTED = [PreferenceRelations(alpha=0.3), Agglomerative(), DIBRA(), DIBRA(prune="low"), DIBRA(prune="wire")]


def one_query(seed, weighted=False):
    lists = example_lists(seed, n_queries=1)
    if weighted:
        lists["weight"] = lists["voter"].map({"v0": 1, "v1": 2, "v2": 0.5, "v3": 3, "v4": 1})
    return lists


def place(ballot, item):
    return ballot[item][0] if item in ballot else Fraction(10**6)


# ---------------------------------------------------------------------- preference relations


def preference_oracle(lists, weights, alpha, beta, absent_edges):
    items = universe(lists)
    total = sum(weights.values())
    cost = dict.fromkeys(lists, Fraction(0))
    for i, j in combinations(items, 2):
        for_i = sum((weights[v] for v in lists if place(lists[v], i) < place(lists[v], j)), Fraction(0))
        for_j = sum((weights[v] for v in lists if place(lists[v], j) < place(lists[v], i)), Fraction(0))
        compared = for_i + for_j
        if compared < beta * total or min(for_i, for_j) >= alpha * compared:
            continue
        winner, loser = (i, j) if for_i > for_j else (j, i)
        for v, ballot in lists.items():
            if winner not in ballot and loser not in ballot:
                cost[v] += Fraction(1, 2)
            elif place(ballot, loser) < place(ballot, winner):
                cost[v] += 1
    n_candidates = Fraction(len(items) * (len(items) - 1), 2)
    trust = {v: 1 - cost[v] / n_candidates if n_candidates else Fraction(1) for v in lists}
    scores = {}
    for item in items:
        scores[item] = Fraction(0)
        for v, ballot in lists.items():
            if item in ballot:
                below = sum(
                    place(ballot, item) < place(ballot, other) for other in items if other in ballot or absent_edges
                )
                scores[item] += weights[v] * trust[v] * below
    return trust, scores


@given(seed=SEEDS, weighted=st.booleans(), absent_edges=st.booleans(), alpha=st.sampled_from([0.1, 0.3, 0.5]))
@settings(max_examples=40, deadline=None)
def test_preference_relations_equal_exact_fractions(seed, weighted, absent_edges, alpha):
    frame = one_query(seed, weighted)
    lists, weights = ballots(frame)
    trust, scores = preference_oracle(lists, weights, Fraction(str(alpha)), Fraction(1, 2), absent_edges)
    method = PreferenceRelations(alpha=alpha, absent_edges=absent_edges)
    consensus = method.fit_transform(frame)
    learnt = method.query_voter_weights_
    assert learnt["weight"].tolist() == pytest.approx([float(trust[v]) for v in learnt["voter"]])
    assert consensus["item"].tolist() == order(scores, lists, weights)
    assert consensus["score"].tolist() == pytest.approx([float(scores[i]) for i in consensus["item"]])


def test_alpha_majority_needs_almost_all_lists_that_compare_a_pair():
    counts = np.array([[0, 9], [1, 0]])
    assert alpha_majority(counts, 10, alpha=0.2, beta=0.5).tolist() == [[False, True], [False, False]]
    assert not alpha_majority(counts, 10, alpha=0.1, beta=0.5).any()
    assert not alpha_majority(counts, 30, alpha=0.2, beta=0.5).any()


def test_disagreements_counts_half_for_absent_pairs():
    ranks, majority = np.array([[1, 2, 9], [2, 1, 9], [1, 9, 9]]), np.triu(np.ones((3, 3), dtype=bool), 1)
    assert disagreements(ranks, ranks == 9, majority).tolist() == [0.0, 1.0, 0.5]


# ---------------------------------------------------------------------- agglomerative


def agglomerative_oracle(lists, c1, c2, by_similarity):
    items, n = universe(lists), len(universe(lists))
    if n == 1:
        return dict.fromkeys(items, Fraction(0))
    full = []
    for ballot in lists.values():
        rest = Fraction(len(ballot) + 1 + n, 2)
        full.append([ballot[i][0] if i in ballot else rest for i in items])
    wins = {(i, j): sum(ranks[i] < ranks[j] for ranks in full) for i in range(n) for j in range(n) if i != j}
    weights = [Fraction(sum(ranks[i] < ranks[j] and wins[i, j] > wins[j, i] for i, j in wins)) for ranks in full]
    nodes = [
        (tuple(ranks), [n * (n + 1 - 2 * rank) / 2 for rank in ranks], weight)
        for ranks, weight in sorted(zip(map(tuple, full), weights, strict=True))
    ]

    def mid_ranks(scores):
        return tuple(sum(t > s for t in scores) + Fraction(sum(t == s for t in scores) + 1, 2) for s in scores)

    def rho(a, b):
        return 1 - 6 * sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) / Fraction(n**3 - n)

    while len(nodes) > 1:
        best, chosen = None, None
        for x in range(len(nodes)):
            for y in range(x):
                heavy, light = max(nodes[x][2], nodes[y][2]), min(nodes[x][2], nodes[y][2])
                key = (rho(nodes[x][0], nodes[y][0]), heavy, light)
                if best is None or key > best:
                    best, chosen = key, (y, x)
        (_, s1, w1), (_, s2, w2) = nodes[chosen[0]], nodes[chosen[1]]
        share = w1 / (w1 + w2) if w1 + w2 else Fraction(1, 2)
        merged = [share * a + (1 - share) * b for a, b in zip(s1, s2, strict=True)]
        ranks = mid_ranks(merged)
        others = [node for k, node in enumerate(nodes) if k not in chosen]
        if by_similarity:
            closeness = sum((rho(ranks, node[0]) for node in others), Fraction(0)) / len(others) if others else 0
            weight = max((c1 * (w1 + w2) / 2 + c2 * closeness) / (c1 + c2), Fraction(0))
        else:
            weight = (c1 * min(w1, w2) + c2 * max(w1, w2)) / (c1 + c2)
        nodes[chosen[0]] = (ranks, merged, weight)
        del nodes[chosen[1]]
    return dict(zip(items, nodes[0][1], strict=True))


@pytest.mark.parametrize("update", ["mean", "similarity"])
@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_agglomerative_equals_exact_fractions(update, seed):
    frame = one_query(seed)
    lists, weights = ballots(frame)
    scores = agglomerative_oracle(lists, Fraction(1, 8), Fraction(1, 2), update == "similarity")
    consensus = Agglomerative(c1=0.125, c2=0.5, weight_update=update).fit_transform(frame)
    assert consensus["item"].tolist() == order(scores, lists, weights)
    assert consensus["score"].tolist() == pytest.approx([float(scores[i]) for i in consensus["item"]], abs=1e-9)


def test_agglomerative_weights_count_agreement_with_majorities():
    frame = pd.DataFrame({"query": "q", "voter": list("uuvvww"), "item": list("ababba"), "rank": [1, 2] * 3})
    method = Agglomerative().fit(frame)
    assert method.query_voter_weights_["weight"].tolist() == [1.0, 1.0, 0.0]
    assert method.voter_weights_["weight"].tolist() == [1.5, 1.5, 0.0]


def test_agglomerative_rejects_c1_and_c2_of_0():
    with pytest.raises(ValueError, match="must not both be 0"):
        Agglomerative(c1=0, c2=0).fit(example_lists())


# ---------------------------------------------------------------------- distances


def consensus_of(seed):
    frame = one_query(seed)
    lists = RankedLists.from_frame(frame)
    places = np.random.default_rng(seed).permutation(lists.n_candidates) + 1.0
    return lists, places


def rows_of(lists, v):
    rows = slice(lists.row_ptr[v], lists.row_ptr[v + 1])
    return lists.rank[rows], lists.candidate[rows]


@given(seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_list_distances_equal_their_definitions(seed):
    lists, places = consensus_of(seed)
    n = lists.n_candidates
    found = {name: distance(lists)(places) for name, distance in LIST_DISTANCES.items()}
    for values in found.values():
        assert ((values >= 0) & (values <= 1)).all()
    for v in range(lists.n_lists):
        rank, pair = rows_of(lists, v)
        length, place_ = len(rank), places[pair]
        points = np.zeros(n)
        points[pair] = length + 1 - rank
        other = n + 1 - places
        cosine = points @ other / math.sqrt((points @ points) * (other @ other))
        assert found["cosine"][v] == pytest.approx(1 - cosine, abs=1e-12)
        assert found["footrule"][v] == pytest.approx(min(2 / length * np.abs(rank / length - place_ / n).sum(), 1))
        local = pd.Series(place_).rank().to_numpy()
        assert found["local-footrule"][v] == pytest.approx(np.abs(rank - local).sum() / max(length**2 // 2, 1))
        pairs = [(a, b) for a, b in combinations(range(length), 2) if rank[a] != rank[b]]
        turned = sum((rank[a] < rank[b]) != (place_[a] < place_[b]) for a, b in pairs)
        assert found["tau"][v] == pytest.approx(turned / len(pairs) if pairs else 0.0)
        if length > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rho = spearmanr(rank, place_).statistic
            assert found["rho"][v] == pytest.approx((1 - (0 if np.isnan(rho) else rho)) / 2)


def test_list_distance_tau_equals_scipy_without_ties():
    frame = example_lists(3, n_queries=1, full=True, with_ties=False)
    lists = RankedLists.from_frame(frame)
    places = np.random.default_rng(0).permutation(lists.n_candidates) + 1.0
    for v, distance in enumerate(LIST_DISTANCES["tau"](lists)(places)):
        rank, pair = rows_of(lists, v)
        assert 1 - 2 * distance == pytest.approx(kendalltau(rank, places[pair]).statistic)


# ---------------------------------------------------------------------- DIBRA


def dibra_oracle(lists, weights, gamma, tol, max_iter):
    """Compute DIBRA by its definition: Borda sums, cosine distance, min-max scale, no score ties."""
    items, n = universe(lists), len(universe(lists))
    trust = dict.fromkeys(lists, 1.0)

    def aggregate():
        low, high = min(trust.values()), max(trust.values())
        scaled = {v: Fraction((w - low) / (high - low)) if high - low > 1e-12 * high else 1 for v, w in trust.items()}
        return comb(lists, {v: weights[v] * scaled[v] for v in lists}, "borda")

    for t in range(1, max_iter + 1):
        scores = aggregate()
        spread = max(abs(s) for s in scores.values())
        level = {i: round(float(s / spread) * 1e9) if spread else 0 for i, s in scores.items()}
        places = {
            i: sum(level[j] > level[i] for j in items) + (sum(level[j] == level[i] for j in items) + 1) / 2
            for i in items
        }
        growth = {}
        for v, ballot in lists.items():
            points = {i: len(ballot) + 1 - float(rank) for i, (rank, _) in ballot.items()}
            inner = sum(points[i] * (n + 1 - places[i]) for i in ballot)
            size = sum(p * p for p in points.values()) * sum((n + 1 - a) ** 2 for a in places.values())
            growth[v] = math.exp(-gamma * t * max(1 - inner / math.sqrt(size), 0.0))
        for v in trust:
            trust[v] += growth[v]
        if max(growth.values()) <= tol:
            break
    return trust, aggregate()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")  # some lists are very short
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_dibra_equals_its_definition(seed):
    frame = one_query(seed)
    lists, weights = ballots(frame)
    trust, scores = dibra_oracle(lists, weights, 1.5, 0.01, 30)
    method = DIBRA(max_iter=30)
    consensus = method.fit_transform(frame)
    learnt = method.query_voter_weights_
    assert learnt["weight"].tolist() == pytest.approx([trust[v] for v in learnt["voter"]], rel=1e-6)
    assert consensus["score"].tolist() == pytest.approx([float(scores[i]) for i in consensus["item"]], abs=1e-6)


@pytest.mark.parametrize(
    "base",
    [CombSUM(norm="rank"), CombMNZ(norm="min-max"), Copeland(), ReciprocalRankFusion(k=10), PreferenceRelations()],
)
def test_dibra_accepts_any_aggregator_with_voter_weights(base):
    lists = example_lists(full=True)
    consensus = DIBRA(aggregator=base, tol=0.05).fit_transform(lists)
    assert set(consensus["item"]) == set(lists["item"])


def test_dibra_rejects_aggregators_without_fractional_weights():
    with pytest.raises(ValueError, match=r"does not accept them\. Choose another aggregator, such as CombSUM"):
        DIBRA(aggregator=Agglomerative()).fit(example_lists())
    with pytest.raises(ValueError, match="fractional list weights"):
        DIBRA(aggregator=RobustRankAggregation()).fit(example_lists())
    with pytest.raises(ValueError, match="'aggregator' parameter of DIBRA"):
        DIBRA(aggregator="combsum").fit(example_lists())


def test_dibra_sets_nested_parameters():
    method = DIBRA(aggregator=CombSUM(norm="borda"))
    assert method.get_params()["aggregator__norm"] == "borda"
    tuned = clone(method).set_params(aggregator__norm="rank").fit_transform(example_lists(full=True))
    plain = DIBRA(aggregator=CombSUM(norm="rank")).fit_transform(example_lists(full=True))
    pd.testing.assert_frame_equal(tuned, plain)


def test_dibra_sums_borda_points_by_default():
    lists = example_lists()
    named = DIBRA(aggregator=CombSUM(norm="borda")).fit_transform(lists)
    pd.testing.assert_frame_equal(DIBRA().fit_transform(lists), named)
    pd.testing.assert_frame_equal(DIBRA().fit_transform(lists.drop(columns="score")), named)


def test_dibra_with_a_score_based_aggregator_needs_scores():
    lists = example_lists().drop(columns="score")
    with pytest.raises(ValueError, match="needs scores"):
        DIBRA(aggregator=CombSUM(norm="min-max")).fit(lists)


def test_scale_weights_keeps_equal_weights_equal():
    same = np.array([2.0, 2.0, 2.0])
    for norm in ("min-max", "z-score"):
        assert scale_weights(same, np.array([0, 1, 3]), np.ones(3), norm).tolist() == [1, 1, 1]
    one = pd.DataFrame({"query": "q", "voter": "v", "item": list("abc"), "rank": [1, 2, 3]})
    for method in WEIGHTED:
        assert clone(method).fit_transform(one)["item"].tolist() == ["a", "b", "c"]


def test_scale_weights_equals_its_formulas():
    weight, ptr = np.array([1.0, 2.0, 4.0]), np.array([0, 3])
    assert scale_weights(weight, ptr, np.ones(3), "min-max").tolist() == [0, 1 / 3, 1]
    assert scale_weights(weight, ptr, np.ones(3), "z-score").tolist() == pytest.approx(weight * weight.var() / 4)
    assert scale_weights(weight, ptr, np.ones(3), None) is weight


def test_dibra_prune_keeps_every_item_in_the_consensus():
    lists, _ = make_rasdagen(n_queries=2)
    for prune, shares in (("low", (0.1, 0.0)), ("wire", (0.0, 0.2))):
        consensus = DIBRA(prune=prune, d1=shares[0], d2=shares[1]).fit_transform(lists)
        assert consensus.groupby("query").size().tolist() == lists.groupby("query")["item"].nunique().tolist()


def test_dibra_max_iter_bounds_the_weights():
    lists = example_lists(full=True)
    assert (DIBRA(max_iter=1, tol=1e-6).fit(lists).query_voter_weights_["weight"] <= 2).all()


def test_dibra_prune_wire_treats_queries_independently():
    # A running sum that went on from one query to the next lost as many digits as the first ones are heavy.
    heavy = example_lists(5, n_queries=1, n_voters=30).assign(query="a")
    heavy["weight"] = 1e9 / 3 * (1.1 + np.sqrt(heavy["voter"].str[1:].astype(int)))
    plain = example_lists(105, n_queries=1, n_voters=6, n_items=12).assign(query="b", weight=1.0)
    found = DIBRA(prune="wire").fit_transform(pd.concat([heavy, plain]))
    expected = DIBRA(prune="wire").fit_transform(plain)
    pd.testing.assert_frame_equal(found[found["query"] == "b"].reset_index(drop=True), expected, check_exact=True)


@pytest.mark.parametrize("prune", ["low", "wire"])
def test_dibra_prune_ignores_lists_of_weight_0(prune):
    lists = example_lists(3, full=True)
    worst = lists[lists["voter"] == "v0"].assign(voter="w", weight=0.0)
    worst["rank"] = worst.groupby("query")["rank"].transform("max") + 1 - worst["rank"]
    method = DIBRA(prune=prune, d2=0.1 if prune == "low" else 0.3)
    together = pd.concat([lists.assign(weight=1.0), worst.drop(columns="score")], ignore_index=True)
    expected = method.fit_transform(lists.drop(columns="score"))
    pd.testing.assert_frame_equal(method.fit_transform(together.drop(columns="score")), expected)


@pytest.mark.parametrize("weighting", ["query", "global"])
def test_dibra_treats_weights_of_its_aggregator_as_its_own(weighting):
    lists, given = example_lists(), {"v0": 1.0, "v1": 2.0, "v2": 0.5, "v3": 3.0, "v4": 0.0}
    inside = DIBRA(CombSUM(norm="borda", voter_weights=given), weighting=weighting)
    outside = DIBRA(CombSUM(norm="borda"), weighting=weighting, voter_weights=given)
    pd.testing.assert_frame_equal(inside.fit_transform(lists), outside.fit_transform(lists))
    pd.testing.assert_frame_equal(inside.voter_weights_, outside.voter_weights_)


# ---------------------------------------------------------------------- lists of different length


def cut_lists(depths, n_queries=3, random_state=0):
    """Return lists of equally good voters, each voter cut to its own depth."""
    lists, qrels, _ = make_ranked_lists(
        n_queries=n_queries, n_voters=len(depths), n_items=400, list_length=max(depths), quality=0.5,
        quality_spread=0.0, random_state=random_state,
    )  # fmt: skip
    depth = dict(zip(sorted(lists["voter"].unique()), depths, strict=True))
    return lists[lists["rank"] <= lists["voter"].map(depth)].reset_index(drop=True), qrels


@pytest.mark.parametrize("call", ["fit", "fit_transform", "transform", "aggregate"])
def test_dibra_warns_once_about_weights_that_follow_list_length(call):
    lists, _ = cut_lists((200, 30, 30, 30))
    lists = pd.concat([lists, cut_lists((30, 30, 30))[0].replace({"query": {"q1": "q8", "q2": "q9", "q3": "q0"}})])
    words = r"in 3 of 6 queries \(the first is 'q1'\).*with TopK, set distance"
    with pytest.warns(UnequalLengthWarning, match=words) as caught:
        getattr(DIBRA(), call)(lists.reset_index(drop=True))
    assert [warning.filename for warning in caught] == [__file__]


def test_dibra_weighting_global_warns_about_list_length_in_fit_only():
    lists, _ = cut_lists((200, 30, 30, 30))
    method = DIBRA(weighting="global")
    for call in (method.fit, method.fit_transform):
        with pytest.warns(UnequalLengthWarning, match=r"in 3 of 3 queries") as caught:
            call(lists)
        assert len(caught) == 1
    method.transform(lists)


def test_nested_dibra_warns_once_about_list_length():
    lists, _ = cut_lists((200, 30, 30, 30), n_queries=1)
    with pytest.warns(UnequalLengthWarning, match=r"in 1 of 1 query \(") as caught:
        DIBRA(DIBRA(max_iter=9), max_iter=9).fit_transform(lists)
    assert len(caught) == 1


def test_dibra_does_not_warn_about_lists_of_similar_length():
    lists, _ = cut_lists((200, 30, 30, 30))
    make_pipeline(TopK(30), DIBRA()).fit_transform(lists)
    PreferenceRelations(alpha=0.4).fit_transform(lists)
    DIBRA().fit_transform(cut_lists((36, 30, 30, 30))[0])
    DIBRA().fit_transform(lists.assign(weight=(lists["voter"] != "v1").astype(float)))


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_outweighed_queries_equal_their_definition(seed):
    random = np.random.default_rng(seed)
    lists = RankedLists.from_frame(one_query(seed).assign(query="a"))
    both = pd.concat([lists.to_frame(), one_query(seed + 1).assign(query="b")], ignore_index=True)
    both["weight"] = both["query"].str.cat(both["voter"]).map(lambda name: float(sum(map(ord, name)) % 4 > 0))
    lists = RankedLists.from_frame(both.drop(columns=["rank", "score"]).assign(rank=np.arange(len(both))))
    weight = np.exp(3 * random.standard_normal(lists.n_lists))
    expected = []
    for q in range(lists.n_queries):
        own = [v for v in range(lists.list_ptr[q], lists.list_ptr[q + 1]) if lists.list_weight[v] > 0]
        if not own:
            expected.append(False)
            continue
        first = max(own, key=lambda v: weight[v])
        lengths = [int(lists.list_length[v]) for v in own]
        expected.append(
            sum(length >= lists.list_length[first] for length in lengths) == 1
            and lists.list_length[first] >= 1.2 * statistics.median(lengths)
            and weight[first] > 2 * statistics.median(weight[own])
        )
    assert outweighed_queries(lists, weight, length_factor=1.2, weight_factor=2.0).tolist() == expected


def test_topk_improves_dibra_on_lists_of_unequal_length():
    depths = (200, 30, 30, 30)
    lists, qrels = cut_lists(depths, n_queries=20)
    with pytest.warns(UnequalLengthWarning):
        poor = evaluate(DIBRA().fit_transform(lists), qrels, "ndcg@10").iloc[0, 0]
    with pytest.warns(UnequalLengthWarning, match="with TopK, or choose a method"):
        milder = DIBRA(distance="tau", weight_norm=None).fit_transform(lists)
    longest = evaluate(lists[lists["voter"] == "v1"].drop(columns="voter"), qrels, "ndcg@10").iloc[0, 0]
    cut = evaluate(make_pipeline(TopK(30), DIBRA()).fit_transform(lists), qrels, "ndcg@10").iloc[0, 0]
    assert abs(poor - longest) < 0.02
    assert cut > poor + 0.05 and evaluate(milder, qrels, "ndcg@10").iloc[0, 0] > poor + 0.1


# ---------------------------------------------------------------------- benefit of weights


@pytest.fixture(scope="module")
def truth():
    return make_ranked_lists(
        n_queries=30, n_voters=30, n_items=40, list_length=None, quality=0.5, quality_spread=1.0,
        random_state=0,
    )  # fmt: skip


@pytest.mark.parametrize(
    "method",
    [
        PreferenceRelations(alpha=0.4),
        pytest.param(Agglomerative(), marks=SLOW_IN_PYTHON),
        DIBRA(distance="rho"),
        pytest.param(DIBRA(distance="tau"), marks=SLOW_IN_PYTHON),
        DIBRA(),
    ],
)
def test_learned_voter_weights_correlate_with_quality(truth, method):
    lists, _, hidden = truth
    learnt = clone(method).fit(lists).voter_weights_.set_index("voter")["weight"]
    quality = hidden.voters.set_index("voter")["quality"]
    assert spearmanr(learnt.reindex(quality.index), quality).statistic > 0.8


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("method", "base"),
    [
        (PreferenceRelations(alpha=0.4), CombSUM(norm="borda")),
        (DIBRA(distance="rho"), CombSUM(norm="borda")),
        pytest.param(DIBRA(distance="rho", aggregator=Copeland()), Copeland(), marks=SLOW_IN_PYTHON),
        (DIBRA(distance="rho", weighting="global"), CombSUM(norm="borda")),
    ],
)
def test_self_weighting_methods_beat_their_unweighted_base(truth, method, base):
    lists, qrels, _ = truth
    found = [evaluate(one.fit_transform(lists), qrels, "map").iloc[0, 0] for one in (clone(method), base)]
    assert found[0] > found[1]


@pytest.mark.parametrize("method", WEIGHTED, ids=repr)
def test_self_weighting_methods_keep_a_unanimous_order(method):
    lists = example_lists(2, n_queries=2, full=True, with_ties=False)
    common = lists[lists["voter"] == "v0"]
    lists = pd.concat([common.assign(voter=f"v{k}") for k in range(30)], ignore_index=True)
    expected = common.sort_values(["query", "rank"])["item"].tolist()
    assert clone(method).fit_transform(lists)["item"].tolist() == expected


# ---------------------------------------------------------------------- one weight for each voter


GLOBAL = [
    PreferenceRelations(alpha=0.3, weighting="global"),
    Agglomerative(weighting="global"),
    DIBRA(weighting="global"),
]


@pytest.mark.parametrize("method", GLOBAL, ids=repr)
def test_weighting_global_raises_not_fitted_error(method):
    with pytest.raises(NotFittedError):
        clone(method).transform(example_lists())


@pytest.mark.parametrize("method", GLOBAL, ids=repr)
def test_weighting_global_applies_to_unseen_queries(method):
    lists = RankedLists.from_frame(example_lists(full=True, n_queries=6))
    fitted = clone(method).fit(lists[:4])
    unseen = fitted.transform(lists[4:])
    assert set(unseen["query"]) == {"q4", "q5"}
    assert unseen.equals(clone(method).fit(lists[:4]).transform(lists[4:]))


@pytest.mark.parametrize("method", GLOBAL, ids=repr)
def test_unknown_voter_option_has_three_rules(method):
    lists = example_lists(full=True)
    seen, newcomer = lists[lists["voter"] != "v4"].reset_index(drop=True), lists
    with pytest.raises(ValueError, match="learned no weight for voter 'v4'"):
        clone(method).set_params(unknown_voter="error").fit(seen).transform(newcomer)
    ignored = clone(method).set_params(unknown_voter="ignore").fit(seen)
    mean = clone(method).set_params(unknown_voter="mean").fit(seen)
    assert ignored.transform(seen).equals(mean.transform(seen))
    encoded = RankedLists.from_frame(newcomer)
    lists, weight, known = mean._weigh(encoded)
    assert lists is encoded and known.tolist() == [voter != "v4" for voter in lists.voters.take(lists.list_voter)]
    assert weight[~known] == pytest.approx(mean.voter_weights_["weight"].mean())
    assert ignored._weigh(encoded)[0].list_weight.tolist() == known.astype(float).tolist()


def test_pool_weights_averages_relative_weights():
    lists = RankedLists.from_frame(pd.DataFrame({"query": list("ppq"), "voter": list("uvu"), "item": "a", "rank": 1}))
    # p: weights 1 and 3, relative 1/2 and 3/2; q: 5 alone, relative 1.
    assert pool_weights(lists, np.array([1.0, 3.0, 5.0])).tolist() == [0.75, 1.5]
    weighted = lists.with_list_weight([1, 1, 3])
    assert pool_weights(weighted, np.array([1.0, 3.0, 5.0])).tolist() == [(0.5 + 3) / 4, 1.5]
    assert pool_weights(lists, np.zeros(3)).tolist() == [1.0, 1.0]


# ---------------------------------------------------------------------- published figures


@pytest.mark.parametrize(
    ("method", "map_"),
    [
        (PreferenceRelations(), 0.4850),
        pytest.param(Agglomerative(c1=0.1, c2=0.2), 0.4958, marks=SLOW_IN_PYTHON),
        (DIBRA(gamma=1.2), 0.4838),
    ],
    ids=repr,
)
def test_self_weighting_methods_reproduce_map_on_rasdagen(method, map_):
    lists, qrels = make_rasdagen()
    assert round(evaluate(method.fit_transform(lists), qrels, "map").loc["run", "map"], 4) == map_


def test_dibra_prune_low_reproduces_map_over_the_remaining_items():
    lists, qrels = make_rasdagen()
    encoded = RankedLists.from_frame(lists)
    method = DIBRA(gamma=1.2, prune="low", d1=0.3, d2=0.05)
    cut, _ = encoded.keep_rows(keep_by_weight(encoded, method._voter_weights(encoded), method.d1, method.d2))
    held = cut.to_frame()[["query", "item"]].drop_duplicates()
    consensus = method.fit_transform(lists).merge(held, on=["query", "item"])
    assert round(evaluate(consensus, qrels, "map").loc["run", "map"], 4) == 0.4840
