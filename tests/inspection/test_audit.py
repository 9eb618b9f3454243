"""audit: statistics compared with other programs and plain Python, sound boards and boards with a planted defect."""

import itertools
import math
import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binomtest, chi2, t

from skrankagg import BordaCount, PlackettLuce, RankedLists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import audit
from skrankagg.inspection._audit import _WIDTH
from skrankagg.inspection._audit_bias import _by_draws, _Pairs
from skrankagg.inspection._audit_checks import coverage
from skrankagg.inspection._audited_duels import AuditedDuels

ELO = 400 / math.log(10)
CHECKS = [
    "connectivity",
    "coverage",
    "votes",
    "separation",
    "position",
    "flips",
    "ties",
    "cycles",
    "clustering",
    "influence",
    "prior",
]
FEW = {"n_resamples": 200}


@pytest.fixture(scope="module")
def script():
    """Import the script that draws boards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
        import audit as found

        yield found


def make(n=600, n_items=5, n_judges=30, tie=0.2, position=0.3, seed=0, worth=None):
    """Draw duels as a frame with a judge and a prompt."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(0.8, -0.8, n_items) if worth is None else np.asarray(worth)
    first = rng.integers(0, n_items, n)
    second = (first + rng.integers(1, n_items, n)) % n_items
    won = rng.random(n) < expit(worth[first] - worth[second] + position)
    names = np.array([f"m{k}" for k in range(n_items)])
    return pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": np.where(rng.random(n) < tie, "tie", np.where(won, "model_a", "model_b")),
            "judge": rng.integers(0, n_judges, n),
            "prompt": np.arange(n),
        }
    )


def read(frame, groups=("judge",), **kwargs):
    return RankedLists.from_comparisons(frame, groups=list(groups) or None, **{"position": True, **kwargs})


def rows(lists, *args, **kwargs):
    return audit(lists, *args, **{**FEW, **kwargs}).set_index("check")


def share_of_first(frame):
    return frame["winner"].map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5}).to_numpy()


def differences(frame):
    """Return the design matrix of Bradley and Terry's model, with a column for each model."""
    names = sorted(set(frame["model_a"]) | set(frame["model_b"]))
    design = np.zeros((len(frame), len(names)))
    for column, sign in (("model_a", 1.0), ("model_b", -1.0)):
        design[np.arange(len(frame)), frame[column].map(names.index)] += sign
    return design


# --------------------------------------------------------------------------------------- tests, by other programs


@pytest.mark.parametrize("grouped", [True, False])
def test_position_equals_a_logistic_regression_with_clustered_errors(grouped):
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    frame = make()
    design = np.column_stack([differences(frame)[:, 1:], np.ones(len(frame))])
    groups = frame["judge"] if grouped else np.arange(len(frame))
    fit = models.GLM(share_of_first(frame), design, family=models.families.Binomial()).fit(
        tol=1e-12, cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    n_groups = groups.nunique() if grouped else None
    error = fit.bse[-1] * (math.sqrt(n_groups / (n_groups - 1)) if grouped else 1.0)
    p = 2 * t.sf(abs(fit.params[-1] / error), n_groups - 1 if grouped else np.inf)
    found = rows(read(frame), PlackettLuce(prior=0), unit="judge" if grouped else "list").loc["position"]
    assert found["value"] == pytest.approx(ELO * fit.params[-1], rel=1e-6)
    assert found["p"] == pytest.approx(p, rel=1e-5)
    assert f"standard error {ELO * error:.1f}" in found["seen"]


def test_the_chi_square_of_cycles_equals_two_regressions():
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    frame = make(n=2000, n_items=6)
    decided = frame[frame["winner"] != "tie"]
    design, won = differences(decided), share_of_first(decided)
    family = models.families.Binomial()
    worth = np.append(0.0, models.GLM(won, design[:, 1:], family=family).fit(tol=1e-12).params)
    both = np.column_stack([design[:, 1:], (design @ worth) ** 3])
    odds = both @ models.GLM(won, both, family=family).fit(tol=1e-12).params
    pair = pd.Series(design @ 2.0 ** np.arange(6)).abs().to_numpy()  # a number for each pair of models
    sign = np.where(design @ 2.0 ** np.arange(6) > 0, 1, -1)
    p = expit(odds)
    totals = pd.DataFrame({"pair": pair, "residual": sign * (won - p), "variance": p * (1 - p)}).groupby("pair").sum()
    statistic = (totals["residual"] ** 2 / totals["variance"]).sum()
    found = rows(read(frame), PlackettLuce(prior=0), unit="list").loc["cycles"]
    assert f"chi-square of 15 pairs is {statistic:.1f}, with 9 degrees" in found["seen"]
    assert found["p"] == pytest.approx(chi2.sf(statistic, 9), rel=1e-5)


def _fitted_pairs(lists, unit):
    board = AuditedDuels(lists, unit, 0.5)
    decided = np.isin(board.share, (0.0, 1.0))
    pairs = _Pairs(board, decided)
    return board, decided, pairs, pairs.fit(0.5)


def test_the_p_value_of_cycles_equals_all_signs_of_groups():
    frame = make(n=1500, n_items=5, n_judges=10, seed=3)
    lists = read(frame)
    board, decided, pairs, fit = _fitted_pairs(lists, "judge")
    own = (pairs.share - fit.probability[pairs.pair]) * pairs.weight
    by_group = np.zeros((10, len(pairs.low)))
    np.add.at(by_group, (board.group[decided], pairs.pair), own)
    root = np.sqrt(fit.variance)

    def statistic(residual):
        # Residuals of a weighted regression on the directions of the fit.
        design = fit.design * root[:, None]
        change = np.linalg.lstsq(design, residual / root, rcond=1e-9)[0]
        return (((residual / root) - design @ change) ** 2).sum()

    signs = np.array(list(itertools.product([-1, 1], repeat=10)))
    drawn = np.array([statistic(one @ by_group) for one in signs])
    exact = np.mean(drawn >= (fit.residual**2 / fit.variance).sum() - 1e-9)
    found = audit(lists, n_resamples=4000).set_index("check")["p"]["cycles"]
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000) + 1e-3)


def test_draws_from_the_fit_agree_with_the_chi_square_distribution():
    _, _, pairs, fit = _fitted_pairs(read(make(n=4000, n_items=6), groups=()), None)
    for quantile in (0.5, 0.1):
        p = _by_draws(pairs, fit, chi2.isf(quantile, 9), 0.5, 2000, np.random.default_rng(0))
        assert p == pytest.approx(quantile, abs=0.03)


def test_few_duels_of_a_pair_are_drawn_from_the_fit():
    few, many = (rows(read(make(n=n, n_items=8), groups=()))["seen"]["cycles"] for n in (120, 2000))
    assert "draws from the fit" in few and "the chi-square distribution" in many
    both = rows(read(make(n=120, n_items=8)))["seen"]["cycles"]
    assert "signs of groups and draws from the fit" in both
    three = rows(read(make(n=2000, n_judges=3)))["seen"]["cycles"]
    assert "the chi-square distribution" in three


def test_a_planted_circle_is_named():
    frame = make(n=4000, n_items=6, position=0.0, worth=np.zeros(6))
    circle = {("m1", "m3"): 1.5, ("m3", "m4"): 1.5, ("m4", "m1"): 1.5}
    rng = np.random.default_rng(1)
    pairs = zip(frame["model_a"], frame["model_b"], strict=True)
    odds = np.array([circle.get((a, b), 0) - circle.get((b, a), 0) for a, b in pairs])
    won = np.where(rng.random(len(odds)) < expit(odds), "model_a", "model_b")
    found = rows(read(frame.assign(winner=won))).loc["cycles"]
    assert found["verdict"] == "warning"
    assert "more often than fitted: 'm1' > 'm3' > 'm4' > 'm1'." in found["seen"]


def test_flips_count_verdicts_in_both_orders():
    one = make(n=300, n_items=4, tie=0.2, position=0.4)
    # The same judge sees each pair in both orders; the second verdicts are drawn anew.
    other = make(n=300, n_items=4, tie=0.2, position=0.4, seed=1)["winner"]
    turned = one.assign(model_a=one["model_b"], model_b=one["model_a"], winner=other)
    once = make(n=50, n_items=4, seed=2).assign(prompt=lambda f: f["prompt"] + 1000)
    first = ((one["winner"] == "model_a") & (other == "model_a")).sum()
    second = ((one["winner"] == "model_b") & (other == "model_b")).sum()
    found = rows(read(pd.concat([one, turned, once]), groups=["judge", "prompt"])).loc["flips"]
    assert found["p"] == pytest.approx(binomtest(int(first), int(first + second)).pvalue, rel=1e-12)
    assert f"Of 300 pairs judged in both orders, the first item won both times in {first}," in found["seen"]
    assert found["value"] == pytest.approx(ELO / 2 * math.log((first + 0.5) / (second + 0.5)))


def test_the_design_effect_and_its_p_value_equal_all_signs():
    frame = make(n=12, n_items=3, n_judges=3, tie=0.2, seed=5).assign(judge=[0] * 5 + [1] * 4 + [2] * 3)
    lists = read(frame)
    board = AuditedDuels(lists, "judge", 0.5)
    probability = expit(board.worth[board.first] - board.worth[board.second])
    n, each = board.n, np.arange(len(board.first))
    scores = np.zeros((len(each), n))
    residual = board.share - probability
    scores[each, board.first], scores[each, board.second] = residual, -residual
    design = np.zeros((len(each), n))
    design[each, board.first], design[each, board.second] = 1, -1
    weights = board.count * probability * (1 - probability)
    inverse = np.linalg.pinv(design.T @ (design * weights[:, None]))
    single = np.repeat(np.arange(len(each)), board.count.astype(int))  # a row for each duel
    scores, group = scores[single], board.group[single]

    def squares(signs):
        return sum(
            sums @ inverse @ sums for g in range(3) for sums in [(signs[group == g, None] * scores[group == g]).sum(0)]
        )

    observed = squares(np.ones(12))
    effect = observed / np.einsum("li,ij,lj->", scores, inverse, scores)
    exact = np.mean([squares(np.array(s)) >= observed - 1e-9 for s in itertools.product([-1, 1], repeat=12)])
    found = audit(lists, n_resamples=4000).set_index("check").loc["clustering"]
    assert found["value"] == pytest.approx(math.sqrt(effect))
    assert f"design effect {effect:.2f}" in found["seen"]
    # Signs stop after ten draws that reach the data, so the p-value has an error of about a third.
    repeated = [audit(lists, n_resamples=4000, random_state=k).set_index("check")["p"]["clustering"] for k in range(40)]
    assert np.mean(repeated) == pytest.approx(exact, rel=0.35)


# ---------------------------------------------------------------------------------------------- limits, by brute force


def test_coverage_of_an_even_schedule_is_one_and_of_a_star_is_known():
    names = [f"m{k}" for k in range(6)]
    even = [(a, b, w) for a, b in itertools.combinations(names, 2) for w in (a, b)]
    assert rows(RankedLists.from_comparisons(even))["value"]["coverage"] == pytest.approx(1.0)
    # In a star with N duels on each arm, the variance of a leaf about the mean is 4 / N times (n^2 - n - 1) / n^2.
    star = [(names[0], b, w) for b in names[1:] for w in (names[0], b) for _ in range(3)]
    n, arm = 6, 6
    leaf, flat = 4 / arm * (n * n - n - 1) / n**2, 2 * (n - 1) ** 2 / (n * arm * (n - 1))
    found = rows(RankedLists.from_comparisons(star)).loc["coverage"]
    assert found["value"] == pytest.approx(math.sqrt(leaf / flat))
    assert "6 ('m1', 'm2', 'm3', 'm4', 'm5') to 30 duels, 6 in the median. 5 of 15 pairs met." in found["seen"]


def test_coverage_equals_the_errors_of_differences_from_one_item():
    rng = np.random.default_rng(0)
    for _ in range(300):
        games = np.triu(rng.poisson(90, (12, 12)), 1)
        board = SimpleNamespace(met=games + games.T, n=12, n_duels=int(games.sum()), name=str)
        pairs = np.argwhere(games)
        design = np.zeros((len(pairs), 12))
        design[np.arange(len(pairs)), pairs[:, 0]], design[np.arange(len(pairs)), pairs[:, 1]] = 1, -1
        # Differences from the first item, then contrasts to the mean.
        free = np.linalg.inv(design[:, 1:].T @ (design[:, 1:] * games[tuple(pairs.T)][:, None]) / 4)
        contrast = np.eye(12)[:, 1:] - 1 / 12
        largest = np.diag(contrast @ free @ contrast.T).max()
        even = 4 * 66 / games.sum() * (1 - 1 / 12) / 12
        assert coverage(board).value == pytest.approx(math.sqrt(largest / even), rel=1e-9)


def test_influence_names_the_judge_whose_removal_changes_the_first_place():
    frame = make(n=3000, n_items=4, n_judges=60, tie=0.0, position=0.0, worth=[0.4, 0.3, -0.2, -0.5])
    loud = frame.iloc[:500].assign(model_a="m1", model_b="m0", winner="model_a", judge=99)
    frame = pd.concat([frame, loud])
    found = rows(read(frame)).loc["influence"]
    first = {
        judge: PlackettLuce().fit_transform(read(frame[frame["judge"] != judge]))["item"].iloc[0]
        for judge in sorted(frame["judge"].unique())
    }
    assert PlackettLuce().fit_transform(read(frame))["item"].iloc[0] == "m1"
    assert [judge for judge, item in first.items() if item != "m1"] == [99]
    assert found["verdict"] == "warning" and found["value"] == 1 and "Look at judge 99 first." in found["advice"]
    assert "Without 1 of 61 groups by judge, 'm0' would pass 'm1'" in found["seen"]


def test_influence_counts_the_judges_whose_removal_changes_the_first_place():
    frame = make(n=3000, n_items=4, n_judges=400, tie=0.0, position=0.0, worth=[0.4, 0.3, -0.2, -0.5])
    loud = frame.iloc[:120].assign(model_a="m1", model_b="m0", winner="model_a")
    frame = pd.concat([frame, *(loud.assign(judge=judge) for judge in (997, 998, 999))])
    found = rows(read(frame)).loc["influence"]
    assert found["verdict"] == "warning" and found["value"] == 3
    # Fits without two of the three judges, and without all three.
    for gone in ([997, 998], [997, 999], [998, 999], [997, 998, 999]):
        first = PlackettLuce().fit_transform(read(frame[~frame["judge"].isin(gone)]))["item"].iloc[0]
        assert first == ("m0" if len(gone) == 3 else "m1")


def test_influence_finds_a_judge_with_most_of_the_duels():
    # The judge's scores add up to almost nothing, so a Newton step does not show what the board is without the judge.
    frame = make(n=150, n_items=6, n_judges=39, tie=0.0, position=0.0, worth=[0.8, 0.5, 0.2, -0.1, -0.5, -0.9])
    boss = make(n=1350, n_items=6, tie=0.0, position=0.0, seed=1, worth=[-0.8, -0.5, -0.2, 0.1, 0.5, 0.9])
    both = pd.concat([frame, boss.assign(judge=99)])
    assert PlackettLuce().fit_transform(read(both))["item"].iloc[0] == "m5"
    assert PlackettLuce().fit_transform(read(frame))["item"].iloc[0] == "m0"
    found = rows(read(both)).loc["influence"]
    assert found["verdict"] == "warning" and found["value"] == 1 and "Look at judge 99 first." in found["advice"]


def test_clustering_warns_of_a_group_with_most_of_the_duels():
    # Nothing is wrong with these duels, but errors by judge are much smaller than those of independent duels.
    frame = make(n=1500, tie=0.0, position=0.0)
    frame["judge"] = frame["judge"].where(frame.index % 10 == 0, 99)
    found = rows(read(frame)).loc["clustering"]
    by_judge, by_duel = (
        PlackettLuce(std_errors=unit).fit_transform(read(frame))["std_error"].mean() for unit in ("judge", "voters")
    )
    assert by_judge < 0.6 * by_duel and found["value"] < 0.6
    assert found["verdict"] == "warning" and "One group has 90% of the duels" in found["seen"]
    halves = make(n_judges=3).assign(judge=lambda frame: frame["judge"] > 0)
    assert rows(read(halves)).loc["clustering", "verdict"] == "ok"


def test_influence_of_duels_removes_some_of_equal_duels():
    # Each of 60 wins in 100 duels adds 0.4 / 24 to the lead of log(1.5) by a Newton step.
    lists = RankedLists.from_comparisons([("Ann", "Bob", "Ann")] * 60 + [("Ann", "Bob", "Bob")] * 40)
    found = rows(lists, PlackettLuce(prior=0)).loc["influence"]
    assert found["verdict"] == "ok" and found["unit"] == "duels"
    assert found["value"] == math.ceil(math.log(1.5) / (0.4 / 24)) == 25
    assert "Without about 25 of 100 duels, 'Ann' would lose" in found["seen"]


def test_ties_warn_of_a_pair_whose_order_depends_on_them():
    # Against c, a wins 40 % and b ties always; a beats b in 60 % of their duels, which are few.
    rows_ = (
        [("Ann", "Cid", "Ann")] * 30
        + [("Ann", "Cid", "Cid")] * 70
        + [("Bob", "Cid", "tie")] * 190
        + [("Bob", "Cid", "Cid")] * 10
    )
    rows_ += [("Ann", "Bob", "Ann")] * 6 + [("Ann", "Bob", "Bob")] * 4 + [("Bob", "Cid", "Bob")] * 1
    found = rows(RankedLists.from_comparisons(rows_)).loc["ties"]
    plain = [one for one in rows_ if one[2] != "tie"]
    orders = [
        PlackettLuce().fit_transform(RankedLists.from_comparisons(one))["item"].tolist() for one in (rows_, plain)
    ]
    assert orders[0].index("Bob") < orders[0].index("Ann") and orders[1].index("Bob") > orders[1].index("Ann")
    assert found["verdict"] == "warning" and found["value"] >= 1 and "'Bob' and 'Ann'" in found["advice"]


def test_prior_is_the_largest_change_without_it():
    frame = make(n=300)
    boards = [
        PlackettLuce(prior=p, scale="elo").fit_transform(read(frame)).set_index("item")["score"] for p in (0.5, 0)
    ]
    found = rows(read(frame)).loc["prior"]
    change = (boards[0] - boards[1]).abs()
    share = (
        change
        / PlackettLuce(prior=0.5, scale="elo", std_errors="judge")
        .fit_transform(read(frame))
        .set_index("item")["std_error"]
    )
    assert found["value"] == pytest.approx(change[share.idxmax()], abs=1e-6)
    assert f"{share.max():.2f} of its standard error" in found["seen"] and found["verdict"] == "ok"


def test_prior_warns_of_a_model_that_lost_everything():
    lists = RankedLists.from_comparisons(
        [("Ann", "Bob", "Ann"), ("Ann", "Bob", "Bob"), ("Ann", "Cid", "Ann"), ("Bob", "Cid", "Bob")]
    )
    found = rows(lists).loc["prior"]
    assert found["verdict"] == "warning" and math.isinf(found["value"]) and "'Cid'" in found["seen"]
    ends = rows(lists, PlackettLuce(prior=0))
    assert ends["verdict"].tolist() == ["warning"] + ["skipped"] * 10 and "'Cid'" in ends["seen"]["connectivity"]


def test_votes_are_the_median_width_of_intervals_of_places():
    lists = read(make(n=400))
    found = rows(lists, n_resamples=2000).loc["votes"]
    board = AuditedDuels(lists, "judge", 0.5)
    rng = np.random.default_rng(1)
    errors = rng.multivariate_normal(np.zeros(5), board.covariance, 20_000, method="svd")
    errors /= np.sqrt(rng.chisquare(29, (20_000, 1)) / 29)
    places = np.argsort(np.argsort(-(board.worth + errors), axis=1), axis=1) + 1
    low, high = np.quantile(places, [0.025, 0.975], axis=0, method="inverted_cdf")
    assert found["value"] == np.median(high - low + 1)


# ---------------------------------------------------------------------------------------------- what is skipped


def test_two_pools_stop_the_audit():
    frame = make()
    other = frame.replace({f"m{k}": f"n{k}" for k in range(5)})
    found = audit(read(pd.concat([frame, other])))
    assert found["check"].tolist() == CHECKS
    assert found["verdict"].tolist() == ["warning"] + ["skipped"] * 10 and found["value"][0] == 2
    assert "'n0', 'n1', 'n2', 'n3', 'n4'" in found["seen"][0]
    assert str(found).count("The items are not connected.") == 1


def sorted_by_name(frame):
    swap = frame["model_a"] > frame["model_b"]
    turned = frame["winner"].map({"model_a": "model_b", "model_b": "model_a", "tie": "tie"})
    return frame.assign(
        model_a=frame["model_b"].where(swap, frame["model_a"]),
        model_b=frame["model_a"].where(swap, frame["model_b"]),
        winner=turned.where(swap, frame["winner"]),
    )


def winner_first(frame):
    swap = frame["winner"] == "model_b"
    return frame.assign(
        model_a=frame["model_b"].where(swap, frame["model_a"]),
        model_b=frame["model_a"].where(swap, frame["model_b"]),
        winner=frame["winner"].replace("model_b", "model_a"),
    )


def mostly_sorted(frame):
    """Return the duels with sorted names, and again the first twelve whose names were not sorted, unchanged."""
    return pd.concat([sorted_by_name(frame), frame[frame["model_a"] > frame["model_b"]].iloc[:12]])


@pytest.mark.parametrize(
    ("change", "reason"),
    [(sorted_by_name, "Only 0%"), (winner_first, "The same slot won all"), (mostly_sorted, "the names are sorted")],
)
def test_position_is_skipped_where_columns_are_not_slots(change, reason):
    found = rows(read(change(make())))
    assert found["verdict"]["position"] == "skipped" and reason in found["seen"]["position"]


def test_position_is_skipped_if_the_data_do_not_determine_it():
    # The worth of c and the effect of position can grow together without bound.
    duels = [("c", "d", "model_a")] * 20 + [("d", "c", "model_a")] * 8 + [("d", "c", "model_b")] * 8
    lists = read(pd.DataFrame(duels, columns=["model_a", "model_b", "winner"]), groups=())
    found = rows(lists, PlackettLuce(prior=0)).loc["position"]
    assert found["verdict"] == "skipped" and "has no finite estimate" in found["seen"]
    # The default prior keeps the worths finite, and so the effect too.
    assert rows(lists).loc["position", "verdict"] != "skipped"


def test_position_and_flips_are_skipped_without_slots():
    frame = make()
    won = frame["winner"] != "model_b"
    losers = pd.DataFrame(
        {
            "winner": frame["model_a"].where(won, frame["model_b"]),
            "loser": frame["model_b"].where(won, frame["model_a"]),
            "tie": frame["winner"] == "tie",
            "judge": frame["judge"],
        }
    )
    for lists in (read(losers, position=False), read(frame, position=False)):
        found = rows(lists)
        assert (found["verdict"][["position", "flips"]] == "skipped").all()
        assert found["advice"]["position"].endswith("with position=True.")
        assert (found["verdict"][["cycles", "clustering"]] != "skipped").all()


def test_groups_are_needed_for_clustering_and_flips():
    found = rows(read(make(), groups=()))
    assert (found["verdict"][["clustering", "flips"]] == "skipped").all()
    assert "Name the columns" in found["advice"]["clustering"]
    assert rows(read(make(), groups=["prompt"]))["verdict"]["clustering"] == "skipped"
    for frame, unit in ((make(), "list"), (make().assign(judge="Ann"), None)):
        found = rows(read(frame), unit=unit).loc["clustering"]
        assert found["verdict"] == "skipped" and found["seen"].endswith("not the groups by judge.")


def test_the_first_grouping_of_several_groups_is_the_unit():
    frame = make().assign(one="x")
    assert "30 groups by judge" in str(audit(read(frame, groups=["one", "judge"]), **FEW))
    with pytest.raises(InputError, match="`unit` must be a grouping of at least two groups; 'one' has only one group"):
        audit(read(frame, groups=["one", "judge"]), unit="one")


# ---------------------------------------------------------------------------------------------- input and output


def test_equal_duels_may_be_rows_or_weights():
    frame = make(n_judges=3)
    counts = frame.groupby(["model_a", "model_b", "winner", "judge"], as_index=False).size()
    one, other = rows(read(frame)), rows(read(counts, weight="size"))
    same = ["connectivity", "coverage", "votes", "separation", "position", "ties", "cycles", "influence", "prior"]
    pd.testing.assert_frame_equal(one.loc[same], other.loc[same])
    assert one["value"]["clustering"] == pytest.approx(other["value"]["clustering"])


def test_the_order_of_rows_has_no_effect():
    frame = make()
    pd.testing.assert_frame_equal(audit(read(frame), **FEW), audit(read(frame.sample(frac=1, random_state=0)), **FEW))


def test_mirrored_slots_turn_the_sign_of_position():
    frame = make()
    turned = frame.assign(
        model_a=frame["model_b"],
        model_b=frame["model_a"],
        winner=frame["winner"].map({"model_a": "model_b", "model_b": "model_a", "tie": "tie"}),
    )
    one, other = rows(read(frame)), rows(read(turned))
    assert one["value"]["position"] == pytest.approx(-other["value"]["position"])
    assert one["p"]["position"] == pytest.approx(other["p"]["position"])


def test_position_does_not_warn_if_the_method_takes_it_into_account():
    lists = read(make(position=0.8))
    found = [rows(lists, PlackettLuce(covariates=one)).loc["position"] for one in (None, ["position"])]
    assert [one["verdict"] for one in found] == ["warning", "ok"]
    assert found[0]["p"] == found[1]["p"] and found[1]["seen"].endswith("The method takes this into account.")


def test_shares_and_factors_count_as_single_duels():
    frame = make(tie=0.0)
    scale = {"model_a": (0.8, 2.0), "model_b": (0.2, 2.0)}
    lists = RankedLists.from_comparisons(
        frame, first="model_a", second="model_b", outcome="winner", outcomes=scale, groups=["judge"], position=True
    )
    board = AuditedDuels(lists, "judge", 0.5)
    assert len(board.first) == 600 and set(board.share.round(6)) == {0.2, 0.8}
    assert set(board.count) == {1.0} and set(board.factor.round(6)) == {2.0}
    found = rows(lists)
    assert "600 duels" in str(audit(lists, **FEW)) and found["verdict"]["cycles"] == "skipped"


def test_one_tied_board_and_one_pair_have_an_audit():
    tied = rows(RankedLists.from_comparisons([("Ann", "Bob", "tie"), ("Bob", "Cid", "tie"), ("Cid", "Ann", "tie")] * 5))
    assert tied["verdict"]["ties"] == "ok" and tied["verdict"]["votes"] == "warning"
    pair = rows(RankedLists.from_comparisons([("Ann", "Bob", "Ann")] * 30 + [("Ann", "Bob", "Bob")] * 10))
    assert pair["verdict"]["cycles"] == "skipped" and pair["verdict"]["votes"] == "ok"


def test_the_frame_prints_a_table_and_is_plain_otherwise():
    frame = make(position=0.8)
    found = audit(read(frame), **FEW)
    text = str(found)
    assert text == repr(found) and max(map(len, text.splitlines())) <= _WIDTH
    assert text.startswith("5 items, 600 duels, 30 groups by judge: ")
    assert "position (warning): The item shown first gains +" in text
    assert list(found) == ["check", "value", "unit", "reference", "p", "verdict", "seen", "advice"]
    assert found["check"].tolist() == CHECKS
    assert type(found.head(3)) is pd.DataFrame and type(found[["check", "p"]]) is pd.DataFrame
    assert str(pickle.loads(pickle.dumps(found))) == text
    assert "<i>" not in audit(read(frame.rename(columns={"judge": "<i>"}), groups=["<i>"]), **FEW)._repr_html_()
    html = found._repr_html_()
    assert all(sentence.replace("'", "&#x27;")[:40] in html or sentence[:40] in html for sentence in found["seen"])
    assert (found.loc[found["verdict"] == "ok", "advice"] == "").all()
    assert (found.loc[found["verdict"] == "warning", "advice"] != "").all()


def test_messages_name_the_parameter():
    lists = read(make())
    with pytest.raises(InputTypeError, match="`aggregator` must be PlackettLuce or None"):
        audit(lists, BordaCount())
    with pytest.raises(
        InputError, match="`lists` must be paired comparisons, so each list must have two items; 1 of 1"
    ):
        audit([["a", "Bob", "Cid"]])
    nothing = pd.DataFrame({"query": "q", "voter": "v", "item": ["Ann", "Bob"], "rank": [1, 2], "weight": 0.0})
    with pytest.raises(InputError, match="at least one comparison of positive weight; all weights are 0"):
        audit(RankedLists.from_frame(nothing))
    with pytest.raises(InputError, match="`lists` must have one query; got 2"):
        audit(RankedLists.concat([lists, read(make(), query="r")]))
    with pytest.raises(InputError, match="`unit` must be 'list', or the name of a grouping; got 'jugde'"):
        audit(lists, unit="jugde")
    with pytest.raises(InputError, match="n_resamples"):
        audit(lists, n_resamples=0)


# ---------------------------------------------------------------------------------------------- generated boards


def test_checks_are_silent_on_sound_boards(script):
    kinds = pd.DataFrame([rows(script.board(np.random.default_rng(k)))["verdict"] for k in range(60)])
    # At a rate of 1 %, more than four warnings of one check in 60 boards have a probability below 0.001.
    assert (kinds == "warning").sum().max() <= 4
    assert (kinds == "skipped").sum().sum() == 0


@pytest.mark.parametrize(
    "name",
    [
        "first slot 0.155",
        "both orders, first slot 0.2",
        "tastes 0.5",
        "pairs 0.35",
        "one model ties in 85 %",
        "one judge has 35 %",
        "one model has 40 duels",
        "200 duels",
        "200 duels of equal models",
        "one model lost its 3 duels",
        "two pools",
    ],
)
def test_checks_find_what_is_planted(script, name):
    changes, planted = script.ROWS[name]
    kinds = [rows(script.board(np.random.default_rng(k), **changes))["verdict"] for k in range(5)]
    assert sum(one[planted] == "warning" for one in kinds) >= 4
