"""MarkovChain, compared with exact fractions and published numbers, and the guarantees of the iteration."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from oracles import ballots, completed, pairwise, stationary, transitions, universe
from skrankagg import Copeland, MarkovChain, RankedLists, evaluate
from skrankagg._arrays import _pairwise
from skrankagg.aggregators import stationary_distribution
from skrankagg.aggregators._markov import _markov_chain, _walks
from skrankagg.datasets import make_rasdagen, read_lists, read_qrels
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

CHAINS = ["mc1", "mc2", "mc3", "mc4", "mct", "rank-centrality"]
every_chain = pytest.mark.parametrize("chain", CHAINS)


def query(seed, weighted, **options):
    lists = example_lists(seed, n_queries=1, n_voters=4, n_items=6, **options)
    if weighted:
        lists["weight"] = lists["voter"].map({"v0": 0.1, "v1": 0.2, "v2": 0.3, "v3": 0.0})
    return lists


def chain_of(frame, chain, absent="ignore"):
    ((_, _, moves),) = MarkovChain(chain=chain, absent=absent)._transitions(RankedLists.from_frame(frame))
    return moves[0]


def profile(*orders):
    rows = [("q", f"v{v}", item, rank) for v, items in enumerate(orders) for rank, item in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


# ---------------------------------------------------------------------- the papers


@pytest.mark.sampled(1)
@every_chain
@pytest.mark.parametrize("absent", ["last", "ignore"])
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=25, deadline=None)
def test_markov_chain_transitions_follow_the_rules_of_the_chain(chain, absent, seed, weighted):
    frame = query(seed, weighted)
    lists, weights = ballots(frame)
    exact = transitions(completed(lists, weights) if absent == "last" else lists, weights, chain)
    everything = universe(lists)
    expected = np.eye(len(everything))
    for i, moves in exact.items():
        for j, probability in moves.items():
            expected[everything.index(i), everything.index(j)] = probability
    np.testing.assert_allclose(chain_of(frame, chain, absent), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@every_chain
@pytest.mark.parametrize("absent", ["last", "ignore"])
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), jump=st.sampled_from([0.15, 0.01, 0.9]))
@settings(max_examples=12, deadline=None)
def test_markov_chain_scores_equal_the_exact_stationary_distribution(chain, absent, seed, weighted, jump):
    frame = query(seed, weighted)
    lists, weights = ballots(frame)
    exact = transitions(completed(lists, weights) if absent == "last" else lists, weights, chain)
    exact = stationary(exact, Fraction(str(jump)))
    method = MarkovChain(chain=chain, absent=absent, ergodic_number=jump)
    scores = method.fit_transform(frame).set_index("item")["score"]
    assert scores.sum() == pytest.approx(1.0)
    for item, score in scores.items():
        assert score == pytest.approx(float(exact.get(item, 0)), abs=1e-11)


def complete(frame):
    """Append to each list of positive weight the missing items of its query, tied in the last place."""
    parts = []
    for _, rows in frame[frame["weight"] > 0].groupby("query"):
        for _, mine in rows.groupby("voter"):
            absent = rows.loc[~rows["item"].isin(mine["item"]), "item"].unique()
            more = mine.iloc[[0] * len(absent)].assign(item=absent, rank=mine["rank"].max() + 1)
            parts += [mine, more]
    return pd.concat(parts)


@pytest.mark.exhaustive
@every_chain
@given(
    seed=st.integers(0, 10**6),
    weights=st.sampled_from([[1] * 5, [1, 2, 3, 1, 2], [0.1, 0.2, 0.3, 0.1, 0], [2**0.5, 3**0.5, 1, 5**0.5, 1e-9]]),
    jump=st.sampled_from([0, 1e-3, 0.15, 0.9]),
    dense=st.booleans(),
    up=st.booleans(),
    sizes=st.sampled_from([(1, 5), (8, 2), (12, 4)]),
)
@settings(max_examples=60, deadline=None)
def test_markov_chain_with_absent_last_equals_completed_lists(chain, seed, weights, jump, dense, up, sizes):
    n_items, longest = sizes
    frame = example_lists(seed, n_queries=3, n_items=n_items).drop(columns="score")
    frame = frame[frame["rank"] <= longest].assign(weight=lambda lists: [weights[int(v[1])] for v in lists["voter"]])
    frame = frame[(frame["weight"] > 0).groupby(frame["query"]).transform("any")]
    method = MarkovChain(chain=chain, absent="last", ergodic_number=jump)
    with pytest.MonkeyPatch.context() as patch:
        if dense:
            patch.setattr(_pairwise, "is_dense", lambda lists, constant: np.ones(lists.n_queries, dtype=bool))
        if up:
            patch.setattr(_markov_chain, "_LONG_LISTS", 0)
        found = method.fit_transform(frame).set_index(["query", "item"])["score"]
    expected = clone(method).set_params(absent="ignore").fit_transform(complete(frame))
    expected = expected.set_index(["query", "item"])["score"].reindex(found.index, fill_value=0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@every_chain
def test_markov_chain_is_independent_of_absent_on_full_lists(chain):
    frame = example_lists(full=True)
    last, ignore = (MarkovChain(chain=chain, absent=absent).fit_transform(frame) for absent in ("last", "ignore"))
    assert last["item"].tolist() == ignore["item"].tolist()
    np.testing.assert_allclose(last["score"], ignore["score"], rtol=1e-12)


def test_markov_chain_with_absent_last_compares_items_in_all_lists():
    lists = profile("zab", "ab", "ab", "ab")
    for chain in CHAINS:
        assert MarkovChain(chain=chain, absent="last").fit_transform(lists)["item"].iloc[0] == "a"
    assert MarkovChain().fit_transform(lists)["item"].iloc[0] == "z"


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize(("chain", "ignore", "last"), [("mc4", 37.8, 48.0), ("mct", 39.5, 47.7), ("mc1", 41.5, 47.7)])
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
def test_markov_chain_reproduces_map_on_mq2008_for_each_absent_option(chain, ignore, last, shared_data):
    lists = read_lists(shared_data / "mq2008agg" / "rank_agg.csv.gz", columns=["query", "voter", "item", "score"])
    qrels = read_qrels(shared_data / "mq2008agg" / "rel_agg.csv.gz")
    lists = RankedLists.from_frame(lists)
    for absent, expected in (("ignore", ignore), ("last", last)):
        consensus = MarkovChain(chain=chain, absent=absent).fit_transform(lists)
        assert round(100 * evaluate(consensus, qrels, "map").loc["run", "map"], 1) == expected


@pytest.mark.parametrize(
    ("chain", "map_"), list(zip(CHAINS[:5], [0.4868, 0.4910, 0.4890, 0.4960, 0.4990], strict=True))
)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
def test_markov_chain_reproduces_map_on_flagrs_data(chain, map_):
    lists, qrels = make_rasdagen()
    assert round(evaluate(MarkovChain(chain=chain).fit_transform(lists), qrels, "map").loc["run", "map"], 4) == map_


def test_markov_chain_mc3_equals_mct_on_full_lists():
    lists = example_lists(full=True, with_ties=False)
    pd.testing.assert_frame_equal(
        MarkovChain(chain="mc3").fit_transform(lists), MarkovChain(chain="mct").fit_transform(lists)
    )


def test_rank_centrality_equals_mct_without_self_moves_on_full_lists():
    frame = example_lists(full=True, n_queries=1)
    n = frame["item"].nunique()
    expected = chain_of(frame, "mct") * n / (n - 1)
    np.fill_diagonal(expected, 0.0)
    np.fill_diagonal(expected, 1 - expected.sum(axis=1))
    np.testing.assert_allclose(chain_of(frame, "rank-centrality"), expected, rtol=1e-13)


def test_rank_centrality_equals_choix():
    choix = pytest.importorskip("choix", reason="choix is not installed")
    rng = np.random.default_rng(0)
    for n_items, n_pairs in ((5, 40), (12, 60), (30, 900)):
        worth = rng.normal(size=n_items)
        one = rng.integers(0, n_items, n_pairs)
        other = (one + rng.integers(1, n_items, n_pairs)) % n_items
        wins = worth[one] + rng.logistic(size=n_pairs) > worth[other]
        pairs = [*np.stack([np.where(wins, one, other), np.where(wins, other, one)], axis=1).tolist()]
        pairs += [
            pair for k in range(n_items) for pair in ([k, (k + 1) % n_items], [(k + 1) % n_items, k])
        ]  # connected
        expected = choix.rank_centrality(n_items, pairs, alpha=0.0)
        lists = RankedLists.from_comparisons(pd.DataFrame(pairs, columns=["winner", "loser"]))
        method = MarkovChain(chain="rank-centrality", ergodic_number=0, tol=1e-14, max_iter=10**6)
        found = np.log(method.fit_transform(lists).sort_values("item")["score"].to_numpy())
        np.testing.assert_allclose(found - found.mean(), expected - expected.mean(), rtol=0, atol=1e-8)


def test_rank_centrality_uses_shares_instead_of_numbers_of_comparisons():
    lists = profile("ab", "ba", "ca", "ac", "bc", "cb")
    for weight in (1.0, 100.0):
        weighted = lists.assign(weight=np.where(lists["voter"].isin(["v0", "v1"]), weight, 1.0))
        scores = MarkovChain(chain="rank-centrality").fit_transform(weighted)["score"]
        np.testing.assert_allclose(scores, 1 / 3, rtol=1e-12)


def test_markov_chain_ranks_the_condorcet_winner_first_only_with_mc4():
    # a beats every other item 4 to 3, and is last where it is not first.
    lists = profile(*["abcdef"] * 4, *["bcdefa"] * 3)
    assert Copeland().fit_transform(lists)["item"].iloc[0] == "a"
    first = {chain: MarkovChain(chain=chain).fit_transform(lists)["item"].iloc[0] for chain in CHAINS}
    assert first == {"mc1": "b", "mc2": "b", "mc3": "b", "mc4": "a", "mct": "b", "rank-centrality": "b"}


@every_chain
def test_markov_chain_keeps_a_unanimous_order(chain):
    lists = profile(*["gcafbed"] * 4)
    assert "".join(MarkovChain(chain=chain).fit_transform(lists)["item"]) == "gcafbed"


@every_chain
def test_markov_chain_ties_a_cycle(chain):
    scores = MarkovChain(chain=chain).fit_transform(profile("abc", "bca", "cab"))["score"]
    assert scores.tolist() == [pytest.approx(1 / 3)] * 3 and scores.nunique() == 1


# ---------------------------------------------------------------------- the rules where the papers have none


def test_markov_chain_transitions_of_items_without_a_common_list():
    lists = profile("ab", "xy")
    assert chain_of(lists, "mc4")[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert chain_of(lists, "mct")[1].tolist() == [0.25, 0.5, 0.125, 0.125]
    assert chain_of(lists, "rank-centrality")[1].tolist() == [1.0, 0.0, 0.0, 0.0]
    # One list has a before x and the other x before a.
    assert chain_of(lists, "mc4", "last")[0].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert chain_of(lists, "mct", "last")[1].tolist() == [0.1875, 0.5625, 0.125, 0.125]


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@every_chain
def test_markov_chain_ignores_lists_of_weight_zero(chain, absent):
    lists = example_lists(3, n_queries=1).drop(columns="score").assign(weight=1.0)
    silent = profile(["new", *lists["item"].unique()[:4]]).assign(voter="silent", query="q0", weight=0.0)
    method = MarkovChain(chain=chain, absent=absent)
    expected = method.fit_transform(lists)
    found = method.fit_transform(pd.concat([lists, silent]))
    assert found["item"].tolist() == [*expected["item"], "new"]
    np.testing.assert_allclose(found["score"], [*expected["score"], 0.0], rtol=1e-12, atol=0)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@every_chain
def test_markov_chain_ties_all_items_if_all_weights_are_0(chain, absent):
    scores = MarkovChain(chain=chain, absent=absent).fit_transform(profile("ab", "ac").assign(weight=0.0))["score"]
    assert scores.tolist() == [1 / 3] * 3


@pytest.mark.parametrize("absent", ["last", "ignore"])
@every_chain
def test_markov_chain_gives_a_single_item_score_1(chain, absent):
    assert MarkovChain(chain=chain, absent=absent).fit_transform(profile("a", "a"))["score"].tolist() == [1.0]


def test_markov_chain_ignores_rounding_differences():
    # 0.1 + 0.2 for a, 0.3 for b: equal, and their floating-point sums are not.
    lists = profile("ab", "ab", "ba").assign(weight=[0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
    assert MarkovChain().fit_transform(lists)["score"].tolist() == [0.5, 0.5]
    assert MarkovChain(absent="last").fit_transform(lists)["score"].tolist() == [0.5, 0.5]


# ---------------------------------------------------------------------- the long run


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@every_chain
def test_markov_chain_without_jumps_is_the_limit_of_rare_jumps(chain):
    lists = pd.concat([example_lists(5, n_queries=3).drop(columns="score"), profile("ab", "xyz", "zyx")])
    never = MarkovChain(chain=chain, ergodic_number=0).fit_transform(lists)
    seldom = MarkovChain(chain=chain, ergodic_number=1e-7, tol=1e-8).fit_transform(lists)
    both = never.merge(seldom, on=["query", "item"])
    np.testing.assert_allclose(both["score_x"], both["score_y"], atol=1e-5)


def test_markov_chain_with_ergodic_number_1_ties_all_items():
    assert MarkovChain(ergodic_number=1).fit_transform(profile("abcd"))["score"].tolist() == [0.25] * 4


@every_chain
def test_markov_chain_iteration_equals_solving(chain, monkeypatch):
    lists = example_lists(2, n_queries=6, n_items=12)
    solved = MarkovChain(chain=chain).fit(lists)
    monkeypatch.setattr(_walks, "SOLVE_ITEMS", 1)
    walked = MarkovChain(chain=chain).fit(lists)
    assert solved.n_iter_ == 0 and 10 < walked.n_iter_ <= 170 and walked.query_info_["converged"].all()
    assert walked.n_iter_ == walked.query_info_["n_iter"].max() > walked.query_info_["n_iter"].min()
    assert walked.query_info_.columns.tolist() == ["query", "n_iter", "converged"]
    left, right = walked.transform(lists), solved.transform(lists)
    assert left["item"].tolist() == right["item"].tolist()
    np.testing.assert_allclose(left["score"], right["score"], atol=1e-12)


@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("chain", ["mc1", "mc2"])
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), full=st.booleans(), ties=st.booleans())
@settings(max_examples=25, deadline=None)
def test_list_moves_equal_the_transition_matrix(chain, absent, seed, weighted, full, ties):
    frame = query(seed, weighted, full=full, with_ties=ties)
    lists = RankedLists.from_frame(pd.concat([frame.assign(query=q) for q in ("a", "b")]))
    _, (_, moves) = MarkovChain(chain=chain, absent=absent)._list_moves(lists)
    matrix, state = (
        chain_of(frame, chain, absent),
        np.random.default_rng(seed).dirichlet(np.ones(lists.query_n_items[1])),
    )
    np.testing.assert_allclose(moves.move(state[None])[0], state @ matrix, rtol=1e-13, atol=1e-16)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
@pytest.mark.sampled(4)
@pytest.mark.parametrize("absent", ["last", "ignore"])
@every_chain
def test_markov_chain_iteration_over_lists_equals_solving(chain, absent, monkeypatch):
    short, long = example_lists(2, n_queries=3, n_items=12), example_lists(3, n_queries=3, n_items=40)
    frame = pd.concat([short, long.assign(query="long " + long["query"])])
    method = MarkovChain(chain=chain, absent=absent)
    solved = clone(method).fit(frame)
    lengths = RankedLists.from_frame(frame).list_length
    monkeypatch.setattr(_markov_chain, "_LONG_LISTS", 13)
    walked = clone(method).fit(frame)
    assert lengths.min() < 13 < lengths.max() and solved.n_iter_ == 0
    up = walked.query_info_.query("n_iter > 0")
    assert up["query"].str.startswith("long").all() and walked.query_info_["converged"].all()
    assert len(up) == (3 if chain in ("mc1", "mc2") else 0)
    left, right = walked.transform(frame), solved.transform(frame)
    np.testing.assert_allclose(left["score"], right["score"], atol=1e-12)
    assert left["item"].tolist() == right["item"].tolist()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("chain", ["mc1", "mc2"])
@pytest.mark.parametrize(
    ("n_items", "length", "n_lists", "walks"),
    [(240, 240, 4, False), (260, 260, 4, True), (400, 260, 6, False), (500, 250, 5, True), (500, 100, 60, False)],
)
@pytest.mark.parametrize("tol", [1e-12, 1e-3])
def test_markov_chain_walks_queries_of_many_items(n_items, length, n_lists, walks, tol, chain, absent, monkeypatch):
    rng = np.random.default_rng(n_items)
    lists = RankedLists.from_lists([rng.permutation(n_items)[:length].tolist() for _ in range(n_lists)])
    method = MarkovChain(chain=chain, absent=absent, tol=tol).fit(lists)
    assert (method.n_iter_ > 0) == walks and method.query_info_["converged"].all()
    found = method.transform(lists).set_index("item")["score"]
    monkeypatch.setattr(_markov_chain, "_MANY_ITEMS", 10_000)
    monkeypatch.setattr(_markov_chain, "_MANY_COMMON_ITEMS", 10_000)
    solved = method.fit_transform(lists)
    assert method.n_iter_ == 0
    np.testing.assert_allclose(found[solved["item"]], solved["score"], rtol=1e-11)
    assert found.index.tolist() == solved["item"].tolist()


@pytest.mark.parametrize(
    "options", [{"ergodic_number": 0}, {"ergodic_number": 1}, {"tol": 1e-15}, {"max_iter": 100}], ids=str
)
def test_markov_chain_uses_pairs_if_iteration_over_lists_may_miss_tol(options, monkeypatch):
    monkeypatch.setattr(_walks, "ListMoves", None)
    monkeypatch.setattr(_markov_chain, "ListMoves", None)
    method = MarkovChain(chain="mc2", **options)
    lists = example_lists(0, n_queries=1, n_items=12)
    expected = method.fit_transform(lists)
    monkeypatch.setattr(_markov_chain, "_LONG_LISTS", 0)
    pd.testing.assert_frame_equal(method.fit_transform(lists), expected)
    with pytest.raises(TypeError, match="NoneType"):
        MarkovChain(chain="mc2").fit_transform(lists)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
def test_markov_chain_solves_lists_of_very_different_lengths(monkeypatch):
    monkeypatch.setattr(_markov_chain, "_LONG_LISTS", 0)
    items = [f"i{k:02d}" for k in range(30)]
    for others, steps in ((items[:1], 0), (items[3:], 1)):
        method = MarkovChain(chain="mc2").fit(profile(items, others, others, others))
        assert (method.n_iter_ > 0) == steps


def test_markov_chain_warns_if_max_iter_is_reached():
    lists = example_lists()
    with pytest.warns(ConvergenceWarning, match=r"did not come within tol .* 3 steps for 4 of 4 queries"):
        method = MarkovChain(tol=1e-15, max_iter=3).fit(lists)
    assert method.n_iter_ == 3 and not method.query_info_["converged"].any()


def test_stationary_distribution_error_bound_is_valid(monkeypatch):
    monkeypatch.setattr(_walks, "SOLVE_ITEMS", 1)
    chain = chain_of(query(0, False), "mc4")
    for tol in (1e-2, 1e-5, 1e-8):
        found, _, error = stationary_distribution(chain, tol=tol)
        exact, _, _ = stationary_distribution(chain, tol=1e-13)
        assert np.abs(found - exact).sum() <= error <= tol


def test_markov_chain_rejects_parameters_out_of_range():
    for name, value in {"chain": "mc5", "absent": "below", "ergodic_number": 1.5, "max_iter": 0, "tol": 0.0}.items():
        with pytest.raises(ValueError, match=f"The '{name}' parameter of MarkovChain must be"):
            MarkovChain(**{name: value}).fit(example_lists())


# ---------------------------------------------------------------------- the matrices


@given(seed=st.integers(0, 10**6), weighted=st.booleans(), absent=st.sampled_from(["last", "ignore"]))
@settings(max_examples=25, deadline=None)
def test_preference_matrix_equals_exact_fractions(seed, weighted, absent):
    frame = query(seed, weighted)
    lists, weights = ballots(frame)
    prefer, both = _pairwise.preference_matrix(RankedLists.from_frame(frame), 0, absent=absent)
    items = universe(lists)
    expected = np.zeros((2, len(items), len(items)))
    for voter, ballot in lists.items():
        for i, one in enumerate(items):
            for j, other in enumerate(items):
                if one in ballot and other in ballot:
                    expected[1, i, j] += float(weights[voter])
                    expected[0, i, j] += float(weights[voter]) * (ballot[one][0] < ballot[other][0])
                elif one in ballot and absent == "last":
                    expected[0, i, j] += float(weights[voter])
    np.testing.assert_allclose([prefer, both], expected, atol=1e-15)


def test_preference_matrix_reproduces_copeland_scores():
    frame = query(4, True)
    prefer, _ = _pairwise.preference_matrix(RankedLists.from_frame(frame), 0)
    wins = (prefer > prefer.T + 1e-12).sum(axis=1) + ((np.abs(prefer - prefer.T) <= 1e-12).sum(axis=1) - 1) / 2
    assert wins.tolist() == [float(x) for x in pairwise(*ballots(frame), Fraction(1, 2)).values()]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("weighted", [False, True])
@every_chain
def test_markov_chain_is_the_same_with_both_counting_algorithms(chain, weighted, absent, monkeypatch):
    frame = example_lists(n_queries=5, n_voters=20, n_items=12)
    if weighted:
        frame["weight"] = frame["voter"].str[1:].astype(int) / 8
    lists = RankedLists.from_frame(frame)
    method, consensus = MarkovChain(chain=chain, absent=absent), {}
    for way in ("kernel", "dense"):
        monkeypatch.setattr(
            _pairwise, "is_dense", lambda lists, constant, way=way: np.full(lists.n_queries, way == "dense")
        )
        consensus[way] = method.transform(lists)
    assert consensus["kernel"]["item"].tolist() == consensus["dense"]["item"].tolist()
    np.testing.assert_allclose(consensus["kernel"]["score"], consensus["dense"]["score"], rtol=1e-12)
    monkeypatch.setattr(_pairwise, "is_dense", lambda lists, constant: np.arange(lists.n_queries) % 2 == 0)
    np.testing.assert_allclose(method.transform(lists)["score"], consensus["dense"]["score"])


def test_matrix_counting_functions_agree():
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 9, (300, 7)).astype(np.int16)
    lower = np.where(rng.random(ranks.shape) < 0.2, -1, ranks)
    weight = rng.integers(0, 5, ranks.shape).astype(float)
    for gap in (0, 1, 3):
        above = ranks[:, :, None] + gap <= lower[:, None, :]
        np.testing.assert_array_equal(_pairwise._count_by_list(ranks + gap, lower), above.sum(axis=0))
        np.testing.assert_array_equal(_pairwise.preference_counts(ranks, lower, gap=gap), above.sum(axis=0))
        expected = (above * weight[:, None, :]).sum(axis=0)
        for count in (_pairwise.weigh_by_list, _pairwise._weigh_by_item):
            np.testing.assert_array_equal(count(ranks + gap, lower, weight), expected)
        by_list = _pairwise.preference_counts(ranks[:3], lower[:3], gap=gap, weight=weight[:3, 0])
        np.testing.assert_array_equal(by_list, (above[:3] * weight[:3, :1, None]).sum(axis=0))


def test_matrices_counted_in_strips_are_the_same(monkeypatch):
    ranks = np.random.default_rng(0).integers(1, 9, (300, 23)).astype(np.int16)
    expected = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=0)
    for cells in (1, 23, 60, 10**6):
        monkeypatch.setattr(_pairwise, "_STRIP_CELLS", cells)
        np.testing.assert_array_equal(_pairwise._count_by_list(ranks + 1, ranks), expected)


def test_long_rows_count_equally_and_restore_numpys_buffer_size(monkeypatch):
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(150) for _ in range(5)]).astype(np.int16)  # counted by halves, in two strips
    tied, size = rng.integers(0, 40, (5, 150)).astype(np.int16), np.getbufsize()
    for long_row in (32, 8192):
        monkeypatch.setattr(_pairwise, "_LONG_ROW", long_row)
        for ranks in (orders, tied):
            above = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=0)
            np.testing.assert_array_equal(_pairwise.preference_counts(ranks), above)
        assert np.getbufsize() == size
    with pytest.raises(ZeroDivisionError), _pairwise._unbuffered(8192):
        assert np.getbufsize() == 4096
        raise ZeroDivisionError
    assert np.getbufsize() == size


@pytest.mark.parametrize("cells", [0, 1 << 20])
def test_count_above_equals_counting_chosen_pairs(cells, monkeypatch):
    rng = np.random.default_rng(1)
    ranks, chosen = rng.integers(1, 9, (6, 300)).astype(np.int16), rng.random((300, 300)) < 0.3
    monkeypatch.setattr(_pairwise, "_BLOCK_CELLS", cells)
    expected = ((ranks[:, :, None] < ranks[:, None, :]) & chosen).sum(axis=(1, 2))
    assert _pairwise.count_above(ranks, chosen).tolist() == expected.tolist()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
@every_chain
def test_markov_chain_is_independent_of_blocks_of_queries(chain, absent, monkeypatch):
    from skrankagg import _kernels

    lists = RankedLists.from_frame(example_lists(n_queries=12))
    method = MarkovChain(chain=chain, absent=absent)
    whole = method.transform(lists)
    monkeypatch.setattr(_pairwise, "_BLOCK_CELLS", 100)
    monkeypatch.setattr(_kernels.loading, "BLOCK", 10)
    parts = method.transform(lists)
    assert parts["item"].tolist() == whole["item"].tolist()
    np.testing.assert_allclose(parts["score"], whole["score"], rtol=1e-12)
