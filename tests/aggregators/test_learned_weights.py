"""LearnedWeights: loss and gradient, minimum by brute force, invariances and errors."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    Copeland,
    LearnedWeights,
    PositionalScoring,
    Qrels,
    RankBiasedCentroid,
    RankedLists,
    ReciprocalRankFusion,
    SimpleBorda,
    fuse,
)
from skrankagg.aggregators._learned import _listwise
from skrankagg.aggregators._learned._listwise import ListwiseLoss, minimize_loss
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, UnknownVoterWarning
from skrankagg.metrics import evaluate, make_ranking_scorer
from skrankagg.preprocessing import TopK

BASES = [
    ReciprocalRankFusion(),
    ReciprocalRankFusion(k=5, depth=10, normalize=True),
    ReciprocalRankFusion(k={"v1": 1, "v2": 5, "v3": 60, "v4": 7}),
    RankBiasedCentroid(),
    BordaCount(),
    SimpleBorda(),
    PositionalScoring(points="dowdall"),
    CombSUM(),
    CombSUM(norm="z-score", absent_score="min"),
    CombSUM(norm="borda"),
]


def data(seed=0, n_queries=30, **options):
    options = {"n_voters": 4, "quality_spread": 1.5, "n_items": 40, "list_length": 15} | options
    lists, qrels, _ = make_ranked_lists(n_queries=n_queries, random_state=seed, **options)
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels)


LISTS, QRELS = data()


def weights_of(method):
    return method.voter_weights_.set_index("voter")["weight"]


# ---------------------------------------------------------------------- the loss and its minimum


def random_loss(seed, alpha=0.7):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, 5)
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    gains = rng.random((ptr[-1], 3)) * (rng.random((ptr[-1], 3)) < 0.7)
    share = rng.random(ptr[-1]) * (rng.random(ptr[-1]) < 0.6) + 1e-3
    share /= np.repeat(np.add.reduceat(share, ptr[:-1]), sizes)
    return ListwiseLoss(csr_array(gains), ptr, share, alpha), gains


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_listwise_loss_equals_its_formula_with_correct_derivatives(seed):
    loss, gains = random_loss(seed)
    weight = np.random.default_rng(seed).normal(size=3)
    expected = 0.35 * weight @ weight
    for first, last in zip(loss.ptr[:-1], loss.ptr[1:], strict=True):
        score = gains[first:last] @ weight
        expected -= (loss.share[first:last] * np.log(np.exp(score) / np.exp(score).sum())).sum()
    value, slope = loss(weight)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(slope, approx_fprime(weight, lambda one: loss(one)[0], 1e-7), atol=1e-5)
    numeric = np.array([approx_fprime(weight, lambda one, k=k: loss(one)[1][k], 1e-7) for k in range(3)])
    np.testing.assert_allclose(loss.hessian(weight), numeric, atol=1e-5)


@pytest.mark.parametrize("positive", [True, False])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_minimize_loss_finds_the_minimum(positive, seed):
    loss, _ = random_loss(seed, alpha=0.05)
    found, _, converged = minimize_loss(loss, positive=positive, max_iter=200, tol=1e-6)
    assert converged and (not positive or found.min() >= 0)
    slope = loss(found)[1]
    bound = positive & (found == 0)
    assert np.abs(slope[~bound]).max(initial=0) < 1e-10 and slope[bound].min(initial=0) > -1e-10
    rng = np.random.default_rng(seed)
    for other in found + rng.normal(size=(50, 3)) * 10.0 ** rng.uniform(-4, 1, (50, 1)):
        other = np.maximum(other, 0) if positive else other
        assert loss(other)[0] >= loss(found)[0] - 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_polish_stops_before_a_newton_step_that_raises_the_loss(seed):
    loss, rng = random_loss(seed, alpha=1e-3)[0], np.random.default_rng(seed)
    far = 40.0 * rng.normal(size=loss.gains.shape[1])
    polished = _listwise._polish(loss, far, False)
    assert loss(polished)[0] <= loss(far)[0]
    least, _, converged = minimize_loss(loss, positive=False, max_iter=1000, tol=1e-9)
    assert converged and loss(least)[0] <= loss(polished)[0] * (1 + 1e-9)


def test_learned_weights_of_two_voters_equal_brute_force():
    lists, qrels = data(3, n_voters=2, n_queries=12)
    method = LearnedWeights(CombSUM(), alpha=0.5, shrinkage=0, qrels=qrels).fit(lists)

    queries = []
    for query, rows in lists.to_frame().groupby("query"):
        graded = qrels.to_frame().set_index("query").loc[query].set_index("item")["relevance"]
        items = sorted(rows["item"].unique())
        gain = 2.0 ** graded.reindex(items).fillna(0.0).to_numpy() - 1
        gains = np.zeros((len(items), 2))
        for k, (_, own) in enumerate(rows.groupby("voter")):
            low, high = own["score"].min(), own["score"].max()
            gains[[items.index(item) for item in own["item"]], k] = (own["score"] - low) / (high - low)
        if gain.any():
            queries.append((gains, gain / gain.sum()))

    def loss(weights):
        total = 0.25 * (weights**2).sum()
        for gains, share in queries:
            scores = gains @ weights
            total -= (share * (scores - np.log(np.exp(scores).sum()))).sum()
        return total

    share = weights_of(method).to_numpy()
    scale = np.linspace(0.2, 12, 60)
    best = min(loss(share * one) for one in scale)
    assert best == pytest.approx(method.loss_, rel=1e-3) and method.loss_ < loss(np.zeros(2))
    for turn in (-0.2, 0.2):
        assert min(loss(np.clip(share + np.array([turn, -turn]), 0, None) * one) for one in scale) > best


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("shrinkage", [0.5, 10.0, 1e6])
def test_shrinkage_averages_learned_weights_with_equal_ones(positive, shrinkage):
    # The judgements have grades below 0, and relevant items that no list contains.
    frame = QRELS.to_frame()
    frame["relevance"] = frame["relevance"].where(frame["relevance"] > 0, -1)
    extra = pd.DataFrame({"query": ["q01"], "item": ["in no list"], "relevance": [2]})
    qrels = Qrels.from_frame(pd.concat([frame, extra]))
    train = LISTS[:6]
    learned = LearnedWeights(positive=positive, shrinkage=0, std_errors=True, qrels=qrels).fit(train)
    shrunk = LearnedWeights(positive=positive, shrinkage=shrinkage, std_errors=True, qrels=qrels).fit(train)

    held = {(query, item) for run in train.to_runs().values() for query, items in run.items() for item in items}
    relevant = frame[frame["relevance"] > 0]
    n = len(held & set(zip(relevant["query"], relevant["item"], strict=True)))
    assert n == shrunk.n_relevant_ == learned.n_relevant_ and 0 < n < len(relevant)
    weight = learned.voter_weights_["weight"]
    assert weight.abs().mean() == pytest.approx(1)
    np.testing.assert_allclose(shrunk.voter_weights_["weight"], (n * weight + shrinkage) / (n + shrinkage), rtol=1e-14)
    np.testing.assert_allclose(
        shrunk.voter_weights_["std_error"], learned.voter_weights_["std_error"] * n / (n + shrinkage), rtol=1e-14
    )
    assert shrunk.loss_ == learned.loss_


def test_learned_weights_default_is_reciprocal_rank_fusion_with_k_20():
    default = LearnedWeights(qrels=QRELS).fit(LISTS)
    pd.testing.assert_frame_equal(
        default.voter_weights_, LearnedWeights(ReciprocalRankFusion(k=20), qrels=QRELS).fit(LISTS).voter_weights_
    )
    assert default.export()["engines"]["opensearch"]["combination"]["rank_constant"] == 20


# ---------------------------------------------------------------------- the consensus


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("base", BASES, ids=repr)
def test_learned_weights_consensus_equals_the_method_with_these_weights(base):
    method = LearnedWeights(base).fit(LISTS, QRELS)
    given = clone(base).set_params(voter_weights=weights_of(method))
    pd.testing.assert_frame_equal(method.transform(LISTS), given.transform(LISTS))
    assert weights_of(method).mean() == pytest.approx(1)


@pytest.mark.parametrize("base", BASES[:5] + BASES[6:], ids=repr)
def test_learned_weights_supports_negative_weights(base):
    method = LearnedWeights(base, positive=False, qrels=QRELS).fit(LISTS)
    weight = weights_of(method)
    if (weight >= 0).all():  # turn one around, as data may
        method.voter_weights_.loc[0, "weight"] *= -1
        weight = weights_of(method)
    consensus = method.transform(LISTS[:3])
    alone = {
        voter: clone(base).set_params(voter_weights=dict.fromkeys(weight.index, 0.0) | {voter: 1.0})
        for voter in weight.index
    }
    if not getattr(base, "normalize", False):
        total = sum(
            weight[voter] * one.transform(LISTS[:3]).set_index(["query", "item"])["score"]
            for voter, one in alone.items()
        )
        np.testing.assert_allclose(
            consensus.set_index(["query", "item"])["score"].sort_index(), total.sort_index(), rtol=1e-9, atol=1e-9
        )
    runs = LISTS[:1].to_runs()
    if LISTS.has_scores:
        explained = fuse({voter: run["q01"] for voter, run in runs.items()}, method, explain=True)
        assert all(sum(shares.values()) == pytest.approx(score, abs=1e-9) for _, score, shares in explained)


@pytest.mark.parametrize("kind", [ReciprocalRankFusion, BordaCount, CombSUM])
def test_learned_weights_multiplies_weights_of_the_base_method_once(kind):
    own = {"v1": 1.0, "v2": 2.0, "v3": 0.5, "v4": 3.0}
    method = LearnedWeights(kind(voter_weights=own), positive=False, qrels=QRELS).fit(LISTS)
    method.voter_weights_["weight"] = [1.5, -0.5, 0.75, 1.25]
    lists = LISTS[:3]
    total = sum(
        weight
        * own[voter]
        * kind(voter_weights=dict.fromkeys(own, 0.0) | {voter: 1.0})
        .transform(lists)
        .set_index(["query", "item"])["score"]
        for voter, weight in weights_of(method).items()
    )
    consensus = method.transform(lists).set_index(["query", "item"])["score"]
    np.testing.assert_allclose(consensus.sort_index(), total.sort_index(), rtol=1e-9, atol=1e-9)
    run = {voter: run["q01"] for voter, run in lists[:1].to_runs().items()}
    for item, score, shares in fuse(run, method, explain=True):
        assert score == pytest.approx(consensus["q01", item], abs=1e-9)
        assert sum(shares.values()) == pytest.approx(score, abs=1e-9)


def test_learned_weights_improves_the_consensus_on_held_out_queries():
    gains = []
    for seed in range(4):
        lists, qrels = data(seed, n_queries=60, n_voters=8)
        train, test = lists[:30], lists[30:]
        method = LearnedWeights().fit(train, qrels.align(train))
        learnt, plain = (
            evaluate(one.transform(test), qrels.align(test).own_qrels(), "map").iloc[0, 0]
            for one in (method, ReciprocalRankFusion())
        )
        gains.append(learnt - plain)
    assert min(gains) > 0 and np.mean(gains) > 0.02


@pytest.mark.filterwarnings("ignore:LearnedWeights gives all voters weight 1")
def test_learned_weights_gains_nothing_from_permuted_judgements():
    differences = []
    for seed in range(8):
        lists, qrels = data(seed, n_queries=40, n_voters=6, quality_spread=0.3)
        train, test = lists[:20], lists[20:]
        rng = np.random.default_rng(seed)
        frame = qrels.align(train).own_qrels().to_frame()
        frame["relevance"] = frame.groupby("query")["relevance"].transform(lambda one, rng=rng: rng.permutation(one))
        method = LearnedWeights(BordaCount()).fit(train, Qrels.from_frame(frame))
        held_out = qrels.align(test).own_qrels()
        found, plain = (evaluate(one.transform(test), held_out, "map").iloc[0, 0] for one in (method, BordaCount()))
        differences.append(found - plain)
    error = np.std(differences, ddof=1) / len(differences) ** 0.5
    assert np.mean(differences) < 2 * error


# ---------------------------------------------------------------------- invariances


def fitted(lists, qrels, **params):
    return LearnedWeights(**params).fit(lists, qrels)


def test_learned_weights_is_the_same_for_every_way_to_pass_judgements():
    expected = weights_of(fitted(LISTS, QRELS))
    for method in (
        LearnedWeights(qrels=QRELS).fit(LISTS),
        LearnedWeights(qrels=QRELS.to_frame()).fit(LISTS),
        LearnedWeights().fit(LISTS, qrels=QRELS),
        LearnedWeights().fit(LISTS, QRELS.align(LISTS)),
        LearnedWeights().fit(LISTS.to_frame(), QRELS),
        pickle.loads(pickle.dumps(LearnedWeights().fit(LISTS, QRELS))),
    ):
        pd.testing.assert_series_equal(weights_of(method), expected)


def test_learned_weights_ignores_judgements_of_other_queries():
    train = LISTS[:10]
    expected = weights_of(fitted(train, QRELS))
    frame = QRELS.to_frame()
    own = frame["query"].isin(train.queries)
    for other in (frame[own], frame.assign(relevance=np.where(own, frame["relevance"], 7)), frame[::-1]):
        pd.testing.assert_series_equal(weights_of(fitted(train, Qrels.from_frame(other))), expected)


def test_learned_weights_is_independent_of_names_and_orders():
    expected = weights_of(fitted(LISTS, QRELS))
    shuffled = LISTS[np.random.default_rng(0).permutation(len(LISTS))]
    np.testing.assert_allclose(weights_of(fitted(shuffled, QRELS)), expected, rtol=1e-9)
    voters = {"v1": "z", "v2": "a", "v3": "m", "v4": "b"}
    items = {item: f"x{hash(item) % 7}{item}" for item in LISTS.items}
    frame = LISTS.to_frame().assign(voter=lambda one: one["voter"].map(voters), item=lambda one: one["item"].map(items))
    judged = QRELS.to_frame().assign(item=lambda one: one["item"].map(lambda item: items.get(item, item)))
    renamed = weights_of(fitted(frame, Qrels.from_frame(judged)))
    np.testing.assert_allclose(renamed[list(voters.values())], expected[list(voters)], rtol=1e-9)


def test_learned_weights_ignores_queries_without_relevant_items():
    expected = weights_of(fitted(LISTS[:10], QRELS))
    frame = QRELS.to_frame()
    frame.loc[~frame["query"].isin(LISTS.queries[:10]), "relevance"] = 0
    method = fitted(LISTS, Qrels.from_frame(frame))
    np.testing.assert_allclose(weights_of(method), expected, rtol=1e-9)
    assert method.n_queries_ == 10


def test_learned_weights_can_skip_unjudged_items():
    frame = QRELS.to_frame()
    judged = frame[(frame["relevance"] > 0) | (np.arange(len(frame)) % 3 == 0)]
    skipped = weights_of(fitted(LISTS, Qrels.from_frame(judged), unjudged="skip"))
    counted = weights_of(fitted(LISTS, Qrels.from_frame(judged)))
    assert not np.allclose(skipped, counted)
    # Lists of judged items only have new ranks; given scores do not change.
    base = CombSUM(norm=None)
    left = LISTS.judged(Qrels.from_frame(judged)).to_frame()
    left = left.merge(judged[["query", "item"]])
    raw = weights_of(fitted(LISTS, Qrels.from_frame(judged), aggregator=base, unjudged="skip"))
    np.testing.assert_allclose(raw, weights_of(fitted(left, Qrels.from_frame(judged), aggregator=base)), rtol=1e-6)


def test_learned_weights_applies_gain_to_grades():
    low = QRELS.to_frame().assign(relevance=lambda one: one["relevance"].clip(upper=1))
    binary = Qrels.from_frame(low)
    pd.testing.assert_series_equal(weights_of(fitted(LISTS, binary)), weights_of(fitted(LISTS, binary, gain="linear")))
    negative = Qrels.from_frame(low.assign(relevance=low["relevance"].where(low["relevance"] > 0, -3.0)))
    pd.testing.assert_series_equal(weights_of(fitted(LISTS, binary)), weights_of(fitted(LISTS, negative)))


def test_learned_weights_standard_errors_shrink_with_queries():
    few, many = (
        LearnedWeights(std_errors=True, positive=False, shrinkage=0, qrels=QRELS).fit(lists).voter_weights_
        for lists in (LISTS[:8], LISTS)
    )
    assert (
        many["std_error"] / many["weight"].abs().mean() < few["std_error"] / few["weight"].abs().mean()
    ).mean() > 0.5
    bounded = LearnedWeights(CombSUM(), shrinkage=0, std_errors=True, qrels=QRELS).fit(LISTS).voter_weights_
    assert (bounded["std_error"].isna() == (bounded["weight"] == 0)).all()


# ---------------------------------------------------------------------- unknown voters, errors, tools


def test_learned_weights_handles_unknown_voters():
    known = LISTS.select(voters=["v1", "v2", "v3"])
    method = fitted(known, QRELS)
    weights = weights_of(method)
    pd.testing.assert_frame_equal(
        method.transform(LISTS), ReciprocalRankFusion(k=20, voter_weights=dict(weights) | {"v4": 1.0}).transform(LISTS)
    )
    ignoring = fitted(known, QRELS, unknown_voter="ignore")
    pd.testing.assert_frame_equal(
        ignoring.transform(LISTS),
        ReciprocalRankFusion(k=20, voter_weights=dict(weights) | {"v4": 0.0}).transform(LISTS),
    )
    with pytest.raises(InputError, match="LearnedWeights learned no weight for voter 'v4'"):
        fitted(known, QRELS, unknown_voter="error").transform(LISTS)
    with pytest.warns(UnknownVoterWarning, match="was not fitted on any voter"):
        method.transform(LISTS.select(voters=["v4"]))


@pytest.mark.parametrize("base", [Copeland(), CombMNZ(), BordaCount(absent="ignore"), DIBRA()], ids=repr)
def test_learned_weights_rejects_methods_without_additive_scores(base):
    with pytest.raises(
        InputError, match=r"one value from each list; .* is not such a method. Choose ReciprocalRankFusion"
    ):
        fitted(LISTS, QRELS, aggregator=base)


def test_learned_weights_rejects_an_aggregator_inside_a_pipeline():
    with pytest.raises(InputError, match="Put other steps of a pipeline before LearnedWeights"):
        fitted(LISTS, QRELS, aggregator=make_pipeline(TopK(3), BordaCount()))


def test_learned_weights_rejects_missing_or_uninformative_judgements():
    with pytest.raises(InputError, match="LearnedWeights needs judgements to learn from; got none"):
        LearnedWeights().fit(LISTS)
    with pytest.raises(NotFittedError):
        LearnedWeights().transform(LISTS)
    with pytest.raises(InputError, match="learns from relevant items, but no list of the 30 judged queries"):
        fitted(LISTS, Qrels.from_frame(QRELS.to_frame().assign(relevance=0)))
    with pytest.raises(InputError, match="they share no query id"):
        fitted(LISTS, Qrels.from_dict({"other": ["i001"]}))
    with pytest.raises(InputError, match=r"2 \*\* grade - 1 must be finite; it overflows for grade 2000"):
        fitted(LISTS, Qrels.from_frame(QRELS.to_frame().assign(relevance=2000)))
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 steps"):
        fitted(LISTS, QRELS, max_iter=1)
    worst = LISTS.select(voters=["v1"])
    last = {query: [list(run)[-1]] for query, run in worst.to_runs()["v1"].items()}
    with pytest.warns(UserWarning, match="gives all voters weight 1, because no voter ranks relevant items higher"):
        method = fitted(worst, Qrels.from_dict(last))
    assert weights_of(method).tolist() == [1.0]


def test_learned_weights_supports_search_and_cross_validation():
    y = QRELS.align(LISTS)
    scorer = make_ranking_scorer("ndcg@10")
    grid = {"aggregator": [BordaCount(), ReciprocalRankFusion()], "alpha": [0.1, 10.0]}
    search = GridSearchCV(LearnedWeights(), grid, scoring=scorer, cv=3, error_score="raise").fit(LISTS, y)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    own = GridSearchCV(LearnedWeights(qrels=QRELS), grid, scoring=make_ranking_scorer("ndcg@10", qrels=QRELS), cv=3)
    np.testing.assert_array_equal(own.fit(LISTS).cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])
    nested = cross_val_score(search, LISTS, y, scoring=scorer, cv=3)
    assert np.isfinite(nested).all()


def test_learned_weights_export_is_plain_and_gives_the_same_order():
    method = fitted(LISTS, QRELS, aggregator=ReciprocalRankFusion())
    exported = json.loads(json.dumps(method.export()))
    assert exported["weights"] == dict(weights_of(method))
    assert set(exported["engines"]) == {"elasticsearch", "opensearch", "langchain", "mongodb"}
    shares = exported["engines"]["opensearch"]["combination"]["parameters"]["weights"]
    consensus = ReciprocalRankFusion(voter_weights=dict(zip(exported["weights"], shares, strict=True))).transform(LISTS)
    assert consensus["item"].tolist() == method.transform(LISTS)["item"].tolist()
    two = fitted(LISTS.select(voters=["v1", "v2"]), QRELS, aggregator=CombSUM()).export()["engines"]
    assert two["weaviate"]["hybrid"]["alpha"] == pytest.approx(
        two["opensearch"]["combination"]["parameters"]["weights"][1]
    )
    assert fitted(LISTS, QRELS, aggregator=BordaCount()).export()["engines"] == {}
    weighed = ReciprocalRankFusion(voter_weights=dict.fromkeys(LISTS.voters, 2.0))
    for method in (weighed, ReciprocalRankFusion(depth=3)):  # engines have neither
        assert fitted(LISTS, QRELS, aggregator=method).export()["engines"] == {}
    assert set(fitted(LISTS, QRELS, aggregator=CombSUM(norm=None)).export()["engines"]) == {"milvus"}
    assert fitted(LISTS, QRELS, aggregator=CombSUM(norm="z-score")).export()["engines"] == {}
    several = fitted(LISTS, QRELS, aggregator=CombSUM()).export()["engines"]  # Weaviate merges only two retrievers
    assert set(several) == {"elasticsearch", "opensearch", "llama_index"}
