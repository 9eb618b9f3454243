"""PlackettLuce with covariates: coefficients, standard errors and refusals."""

import warnings

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg import PlackettLuce, RankedLists, fuse
from skrankagg.exceptions import InputError, NotComparedWarning
from skrankagg.model_selection import VoterKFold, cross_val_likelihood

pytestmark = pytest.mark.twice

NAMES = ["length", "position"]


def draw_battles(seed=0, n=600, n_items=6, n_judges=20, style=0.6, first=0.3, ties=0.15, taste=0.0):
    """Draw duels with a style effect and an advantage of the item shown first."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(-1, 1, n_items)
    one = rng.integers(0, n_items, n)
    other = (one + rng.integers(1, n_items, n)) % n_items
    judge = rng.integers(0, n_judges, n)
    tastes = taste * rng.normal(size=(n_judges, n_items))
    tokens = np.exp(5 + 0.5 * rng.normal(size=(2, n)))
    gap = (tokens[0] - tokens[1]) / 100
    odds = worth[one] - worth[other] + tastes[judge, one] - tastes[judge, other] + style * gap + first
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), 1.0, 0.0)
    outcome[rng.random(n) < ties] = 0.5
    names = np.array([f"m{k}" for k in range(n_items)])
    return pd.DataFrame({
        "model_a": names[one], "model_b": names[other], "winner": outcome, "judge": [f"j{k:03d}" for k in judge],
        "tokens_a": tokens[0] / 100, "tokens_b": tokens[1] / 100,
    })  # fmt: skip


def encode(battles, **options):
    """Read battles with both covariates."""
    return RankedLists.from_comparisons(
        battles, covariates={"length": ("tokens_a", "tokens_b")}, position=True, voter="judge", **options
    )


def draw_lists(seed=0, queries=("a",), n_lists=60, n_items=6):
    """Draw lists of 3 to 5 items with the place at which each item was shown, and its length; encode them."""
    rng = np.random.default_rng(seed)
    parts = []
    for query in queries:
        worth = rng.normal(size=n_items)
        for v in range(n_lists):
            held = rng.permutation(n_items)[: rng.integers(3, 6)]
            x = np.stack([rng.permutation(len(held)) + 1.0, 50 * rng.normal(size=len(held))], axis=1)
            u = worth[held] + x @ [-0.3, 0.01] + rng.gumbel(size=len(held))
            rows = {"query": query, "voter": v, "item": held, "rank": np.argsort(np.argsort(-u)) + 1, "panel": v % 12}
            parts.append(pd.DataFrame(rows | {"place": x[:, 0], "length": x[:, 1]}))
    frame = pd.concat(parts, ignore_index=True)
    return RankedLists.from_frame(frame, groups=["panel"], covariates=["place", "length"])


def design_of(battles):
    """Return the design matrix of the duels: columns for all items except the first, for length and for position."""
    items = sorted(set(battles["model_a"]) | set(battles["model_b"]))
    signs = [
        (battles["model_a"] == item).astype(float) - (battles["model_b"] == item).astype(float) for item in items[1:]
    ]
    return np.stack([*signs, battles["tokens_a"] - battles["tokens_b"], np.ones(len(battles))], axis=1)


def near(found, expected, rel=1e-6, abs=0.0):
    """Raise AssertionError unless the numbers are equal within a tolerance."""
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rel, atol=abs)


def coefficients(method):
    """Return the coefficients by covariate."""
    return method.coefficients_.set_index("covariate")


def test_duels_equal_a_binomial_regression():
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    battles = draw_battles()
    method = PlackettLuce(prior=0, covariates=NAMES, std_errors="model", anchor={"m0": 0.0})
    scores = method.fit_transform(encode(battles)).set_index("item").sort_index()
    expected = models.GLM(battles["winner"], design_of(battles), models.families.Binomial()).fit(tol=1e-14)
    near(scores["score"].iloc[1:], expected.params[:-2], abs=1e-6)
    near(scores["std_error"].iloc[1:], expected.bse[:-2], abs=1e-6)
    assert scores.loc["m0", "std_error"] == 0
    found = coefficients(method)
    assert found.index.tolist() == NAMES and method.coefficients_["query"].tolist() == ["q", "q"]
    near(found["coefficient"], expected.params[-2:], abs=1e-6)
    near(found["std_error"], expected.bse[-2:], abs=1e-6)
    near(found["p"], expected.pvalues[-2:], abs=1e-6)
    near(found["odds_ratio"], np.exp(expected.params[-2:]), abs=1e-6)
    assert method.query_info_["log_likelihood"][0] == pytest.approx(
        (
            battles["winner"] * np.log(expected.fittedvalues)
            + (1 - battles["winner"]) * np.log1p(-expected.fittedvalues)
        ).sum()
    )


# Home wins and defeats of seven teams in 1987, A. Agresti, Categorical Data Analysis, 2002, section 10.6.
BASEBALL = {
    "Milwaukee": "- 4-3 4-2 4-3 6-1 4-2 6-0",
    "Detroit": "3-3 - 4-2 4-3 6-0 6-1 4-3",
    "Toronto": "2-5 4-3 - 2-4 4-3 4-2 6-0",
    "New York": "3-3 5-1 2-5 - 4-3 4-2 6-1",
    "Boston": "5-1 2-5 3-3 4-2 - 5-2 6-0",
    "Cleveland": "2-5 3-3 3-4 4-3 4-2 - 2-4",
    "Baltimore": "2-5 1-5 1-6 2-4 1-6 3-4 -",
}


def test_home_advantage_in_baseball_equals_the_published_numbers():
    games = [
        (home, guest, won)
        for home, results in BASEBALL.items()
        for guest, result in zip(BASEBALL, results.split(), strict=True)
        if guest != home
        for won, times in zip((1, 0), map(int, result.split("-")), strict=True)
        for _ in range(times)
    ]
    lists = RankedLists.from_comparisons(games, position=True)
    method = PlackettLuce(prior=0, covariates=["position"], std_errors="model", anchor={"Baltimore": 0.0})
    found = method.fit_transform(lists).set_index("item")[["score", "std_error"]].sort_index().iloc[1:]
    # Coefficients and errors as BradleyTerry2 for R publishes them, `summary(baseballModel2)`.
    scores, errors = [1.1438, 0.7047, 1.4754, 1.6196, 1.2813, 1.3271], [0.3378, 0.3350, 0.3446, 0.3474, 0.3404, 0.3403]
    np.testing.assert_allclose(found["score"], scores, atol=5e-5)
    np.testing.assert_allclose(found["std_error"], errors, atol=5e-5)
    np.testing.assert_allclose(
        coefficients(method).loc["position", ["coefficient", "std_error"]].astype(float), [0.3023, 0.1309], atol=5e-5
    )


@pytest.mark.parametrize("n_judges", [10, 80])
def test_errors_by_judges_equal_a_sandwich(n_judges):
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    battles = draw_battles(1, n_judges=n_judges, taste=0.5)
    method = PlackettLuce(prior=0, covariates=NAMES, std_errors="judge", anchor={"m0": 0.0})
    scores = method.fit_transform(encode(battles)).set_index("item").sort_index()
    codes = pd.factorize(battles["judge"])[0]
    expected = models.GLM(battles["winner"], design_of(battles), models.families.Binomial()).fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}, use_t=False
    )
    factor = np.sqrt(n_judges / (n_judges - 1))
    near(scores["std_error"].iloc[1:], factor * expected.bse[:-2], rel=1e-6)
    found = coefficients(method)
    near(found["std_error"], factor * expected.bse[-2:], rel=1e-6)
    from scipy import stats

    ratio = found["coefficient"].abs() / found["std_error"]
    near(found["p"].to_numpy(), 2 * stats.t(n_judges - 1).sf(ratio), rel=1e-9)


def test_errors_by_voters_equal_whites_sandwich():
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    battles = draw_battles(2)
    method = PlackettLuce(prior=0, covariates=NAMES, std_errors="voters", anchor={"m0": 0.0})
    scores = method.fit_transform(encode(battles)).set_index("item").sort_index()
    expected = models.GLM(battles["winner"], design_of(battles), models.families.Binomial()).fit(
        tol=1e-14, cov_type="HC0"
    )
    near(scores["std_error"].iloc[1:], expected.bse[:-2], rel=1e-6)
    near(coefficients(method)["std_error"], expected.bse[-2:], rel=1e-6)
    # Merged comparisons count as several comparisons.
    position = RankedLists.from_comparisons(battles, position=True)
    assert position.list_weight.max() > 1
    single = [RankedLists.from_comparisons(battles.assign(k=range(len(battles))), position=True, groups=["k"])]
    errors = [
        PlackettLuce(covariates=["position"], std_errors="voters").fit(lists).coefficients_
        for lists in (position, *single)
    ]
    assert_frame_equal(*errors, rtol=1e-9)


def test_errors_of_lists_by_groups_equal_coxs_model():
    duration = pytest.importorskip("statsmodels.duration.hazard_regression", reason="statsmodels is the oracle")
    lists = draw_lists()
    frame = lists.to_frame()
    design = np.hstack([np.eye(6)[frame["item"]][:, 1:], frame[["place", "length"]]])
    model = duration.PHReg(frame["rank"].to_numpy(), design, strata=frame["voter"], ties="breslow")
    expected = model.fit(disp=0, tol=1e-12)
    options = {"prior": 0, "absent": "ignore", "covariates": ["place", "length"], "anchor": {0: 0.0}}
    method = PlackettLuce(std_errors="model", **options)
    scores = method.fit_transform(lists).set_index("item").sort_index()
    near(scores["score"].iloc[1:], expected.params[:-2], abs=1e-6)
    near(scores["std_error"].iloc[1:], expected.bse[:-2], rel=1e-6)
    near(coefficients(method)["std_error"], expected.bse[-2:], rel=1e-6)
    # The sandwich of the groups from scores of each list alone, by differences of the log-likelihood.
    grouped = PlackettLuce(std_errors="panel", **options)
    found = grouped.fit_transform(lists).set_index("item").sort_index()
    scores = np.stack(
        [
            np.asarray(model.score(expected.params)) * 0
            + duration.PHReg(own["rank"].to_numpy(), design[own.index], strata=own["voter"], ties="breslow").score(
                expected.params
            )
            for _, own in frame.groupby("panel", observed=True)
        ]
    )
    inverse = np.linalg.inv(-model.hessian(expected.params))
    sandwich = 12 / 11 * inverse @ scores.T @ scores @ inverse
    near(found["std_error"].iloc[1:], np.sqrt(np.diag(sandwich))[:-2], rel=1e-6)
    near(coefficients(grouped)["std_error"], np.sqrt(np.diag(sandwich))[-2:], rel=1e-6)


def test_pooled_coefficients_equal_one_regression_on_all_queries():
    models = pytest.importorskip("statsmodels.api", reason="statsmodels is the oracle")
    battles = [draw_battles(3, n=80, n_items=4), draw_battles(4, n=300)]
    lists = RankedLists.concat([encode(one, query=name) for one, name in zip(battles, "ab", strict=True)])
    method = PlackettLuce(prior=0, covariates=NAMES, coefficients="all", std_errors="model", anchor={"m0": 0.0})
    scores = method.fit_transform(lists).sort_values(["query", "item"])
    first, second = (design_of(one) for one in battles)
    design = np.zeros((len(first) + len(second), 3 + 5 + 2))
    design[: len(first), :3], design[len(first) :, 3:8] = first[:, :-2], second[:, :-2]
    design[:, 8:] = np.concatenate([first[:, -2:], second[:, -2:]])
    outcome, family = pd.concat(battles)["winner"], models.families.Binomial()
    expected = models.GLM(outcome, design, family).fit(tol=1e-14)
    assert method.coefficients_.columns.tolist() == ["covariate", "coefficient", "std_error", "p", "odds_ratio"]
    near(method.coefficients_["coefficient"], expected.params[-2:], abs=1e-6)
    near(method.coefficients_["std_error"], expected.bse[-2:], abs=1e-6)
    others = scores[scores["item"] != "m0"]
    near(others["score"].to_numpy(), expected.params[:-2], abs=1e-6)
    near(others["std_error"].to_numpy(), expected.bse[:-2], abs=1e-6)
    # Judges of both queries are groups of all queries.
    by_judge = PlackettLuce(prior=0, covariates=NAMES, coefficients="all", std_errors="judge", anchor={"m0": 0.0})
    scores = by_judge.fit_transform(lists).sort_values(["query", "item"])
    codes, names = pd.factorize(pd.concat(battles)["judge"])
    robust = models.GLM(outcome, design, family).fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    factor = np.sqrt(len(names) / (len(names) - 1))
    near(by_judge.coefficients_["std_error"], factor * robust.bse[-2:], rel=1e-6)
    assert scores.loc[scores["item"] != "m0", "std_error"].to_numpy() == pytest.approx(
        factor * robust.bse[:-2], rel=1e-6
    )


@pytest.mark.parametrize("std_errors", [None, "voters", "judge"])
def test_each_query_is_fitted_as_if_it_were_alone(std_errors):
    parts = [encode(draw_battles(5 + k, n=150 + 50 * k), query=f"q{k}") for k in range(3)]
    method = PlackettLuce(covariates=NAMES, std_errors=std_errors)
    together = method.fit_transform(RankedLists.concat(parts))
    every = method.coefficients_
    alone = [method.fit_transform(part) for part in parts]
    assert_frame_equal(together, pd.concat(alone, ignore_index=True), check_exact=True)
    coefficients = pd.concat([method.fit(part).coefficients_ for part in parts], ignore_index=True)
    assert_frame_equal(every, coefficients, check_exact=True)


def test_queries_of_duels_and_of_lists_are_fitted_together():
    duels = encode(draw_battles(8)).to_frame().assign(voter=lambda rows: "d" + rows["voter"].astype(str))
    duels = duels.rename(columns={"position": "place"}).drop(columns="judge").assign(weight=1.0)
    more = draw_lists(9, queries=("z",)).to_frame().assign(duel=0, weight=1.0).drop(columns="panel")
    more = more.assign(voter="v" + more["voter"].astype(str), item="i" + more["item"].astype(str))
    both = RankedLists.from_frame(pd.concat([duels, more]), covariates=["place", "length"])
    method = PlackettLuce(covariates=["place", "length"], absent="ignore", std_errors="model")
    together = method.fit_transform(both)
    alone = [method.fit_transform(both[[q]]) for q in range(2)]
    assert_frame_equal(together, pd.concat(alone, ignore_index=True), rtol=1e-9)
    pooled = PlackettLuce(covariates=["place", "length"], absent="ignore", coefficients="all").fit(both)
    assert len(pooled.coefficients_) == 2


def test_the_scores_are_those_at_equal_covariates():
    battles = draw_battles(10, n=6000, n_items=12, style=0.9)
    # Weak models write long answers.
    weak = battles["model_a"].str[1:].astype(int) < 6
    battles.loc[weak, "tokens_a"] += 1.5
    gap = battles["tokens_a"] - battles["tokens_b"]
    rng = np.random.default_rng(0)
    worth = np.linspace(-1, 1, 12)
    odds = worth[battles["model_a"].str[1:].astype(int)] - worth[battles["model_b"].str[1:].astype(int)] + 0.9 * gap
    battles["winner"] = (rng.random(len(battles)) < 1 / (1 + np.exp(-odds))).astype(float)
    lists = encode(battles)
    places = [
        method.fit_transform(lists).set_index("item")["score"].reindex([f"m{k}" for k in range(12)])
        for method in (PlackettLuce(), PlackettLuce(covariates=["length"]))
    ]
    plain, adjusted = (np.corrcoef(one, worth)[0, 1] for one in places)
    assert adjusted > 0.98 > plain


def test_units_of_a_covariate_change_only_its_coefficient():
    battles = draw_battles(11)
    other = battles.assign(tokens_a=1000 * battles["tokens_a"] + 7, tokens_b=1000 * battles["tokens_b"] + 7)
    one, two = (PlackettLuce(covariates=NAMES, std_errors="judge", ridge=3.0) for _ in range(2))
    assert_frame_equal(one.fit_transform(encode(battles)), two.fit_transform(encode(other)), rtol=1e-7)
    ratio = coefficients(one)[["coefficient", "std_error"]] / coefficients(two)[["coefficient", "std_error"]]
    assert ratio.loc["length"].to_numpy() == pytest.approx(1000) and ratio.loc["position"].to_numpy() == pytest.approx(
        1
    )


def test_an_odds_ratio_beyond_floating_point_raises_no_warning():
    battles = draw_battles()
    battles[["tokens_a", "tokens_b"]] *= 1e-8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method = PlackettLuce(covariates=NAMES).fit(encode(battles))
    assert coefficients(method).loc["length", "odds_ratio"] == np.inf


def test_scale_and_anchor_leave_coefficients_unchanged():
    lists = encode(draw_battles(12))
    plain = PlackettLuce(covariates=NAMES, std_errors="judge")
    elo = PlackettLuce(covariates=NAMES, std_errors="judge", scale="elo")
    one, two = plain.fit_transform(lists), elo.fit_transform(lists)
    near(two["std_error"].to_numpy(), one["std_error"] * 400 / np.log(10))
    near(two["score"].mean(), 1000)
    assert_frame_equal(plain.coefficients_, elo.coefficients_)


def test_fit_aggregate_and_fit_transform_agree():
    lists = encode(draw_battles(13))
    method = PlackettLuce(covariates=NAMES, std_errors="model").fit(lists)
    scores, info = method.aggregate(lists)
    assert_frame_equal(scores, method.transform(lists))
    assert_frame_equal(info, method.query_info_)
    assert info["coefficient_length"].tolist() == [coefficients(method).loc["length", "coefficient"]]
    assert not hasattr(method.set_params(covariates=None).fit(lists), "coefficients_")


def test_without_std_errors_coefficients_have_errors_of_the_model():
    lists = encode(draw_battles(14))
    one, two = (PlackettLuce(covariates=NAMES, std_errors=kind) for kind in (None, "model"))
    assert "std_error" not in one.fit_transform(lists) and "std_error" in two.fit_transform(lists)
    assert_frame_equal(one.coefficients_, two.coefficients_)


def test_efrons_ties_count_as_two_choices():
    lists = encode(draw_battles(15))
    found = []
    for part in (lists, RankedLists.from_frame(lists.to_frame().assign(duel=0), covariates=NAMES, groups=["judge"])):
        method = PlackettLuce(covariates=NAMES, ties="efron", absent="ignore")
        found.append((method.fit_transform(part), method.query_info_["log_likelihood"][0]))
    assert_frame_equal(found[0][0], found[1][0])
    # A duel that is also a list of three items goes the way of lists; the log-likelihoods are equal.
    frame = lists.to_frame().assign(query="q")
    third = pd.DataFrame(
        {"query": "q", "voter": "x", "item": ["m0"], "rank": 1.0, "duel": 0, "weight": 1.0, "judge": "j"}
    )
    mixed = pd.concat([frame.assign(voter=frame["voter"].astype(str)), third]).fillna(
        {"length": 1, "position": 0, "weight": 1}
    )
    method = PlackettLuce(covariates=NAMES, ties="efron", absent="ignore")
    other = method.fit_transform(RankedLists.from_frame(mixed, covariates=NAMES))
    near(other["score"].to_numpy(), found[0][0]["score"].to_numpy(), abs=1e-9)
    near(method.query_info_["log_likelihood"][0], found[0][1])
    # So are the errors from the differences between the lists, in which a tie counts twice.
    errors = [
        PlackettLuce(covariates=NAMES, ties="efron", absent="ignore", std_errors="voters").fit_transform(one)
        for one in (lists, RankedLists.from_frame(mixed, covariates=NAMES))
    ]
    near(*(one["std_error"] for one in errors), rel=1e-8)


def test_cross_validation_prefers_the_covariates_that_count():
    battles = draw_battles(16, n=900, style=0.8, ties=0)
    battles["noise"] = np.random.default_rng(0).normal(size=len(battles))
    lists = RankedLists.from_comparisons(
        battles, covariates={"length": ("tokens_a", "tokens_b"), "noise": "noise"}, position=True, voter="judge"
    )
    folds = VoterKFold(4, groups="judge")
    gains = [
        cross_val_likelihood(PlackettLuce(covariates=names), lists, cv=folds)["log_likelihood"].sum()
        for names in (["length", "position"], ["noise"], None)
    ]
    assert gains[0] > gains[2] + 20 and gains[1] < gains[2]


# ---------------------------------------------------------------------- bad input


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"covariates": ["lenght"]},
            r"got 'lenght', and the lists have \['length', 'position'\] \(did you mean 'length'",
        ),
        (
            {"ties": "davidson"},
            "`ties` of PlackettLuce must not be 'davidson' if covariates are given. Choose ties='average'",
        ),
        ({"weighting": "query"}, "`weighting` of PlackettLuce must not be 'query' if covariates are given"),
        (
            {"absent": "last"},
            "`absent` must be 'ignore' if covariates are given, because absent items have no covariates",
        ),
        ({"covariates": "length"}, "'covariates' parameter of PlackettLuce must be an instance of 'list'"),
        ({"coefficients": "voter"}, "'coefficients' parameter"),
        ({"ridge": -1}, "'ridge' parameter"),
        ({"std_errors": "judges"}, "did you mean 'judge'"),
        ({"covariates": ["length", "length"]}, "must be different names; got \\['length', 'length'"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PlackettLuce(**{"covariates": NAMES, **options}).fit_transform(encode(draw_battles()))


def test_lists_without_covariates_are_refused():
    frame = encode(draw_battles()).to_frame()
    with pytest.raises(InputError, match=r"the lists have none\. Pass RankedLists\.from_frame\(df, covariates="):
        PlackettLuce(covariates=["length"]).fit_transform(frame)


def test_plain_lists_and_partitions_are_refused():
    method = PlackettLuce(covariates=NAMES)
    with pytest.raises(InputError, match=r"covariates=\.\.\.\) instead of a frame"):
        fuse([["a", "b"], ["b", "a"]], method)
    frames = pytest.importorskip("dask.dataframe", reason="Dask stores partitions")
    from skrankagg.distributed import transform_partitions

    parts = frames.from_pandas(encode(draw_battles()).to_frame().drop(columns="judge"), npartitions=1)
    with pytest.raises(InputError, match=r"covariates=\.\.\.\) instead of a frame"):
        transform_partitions(method, parts).compute()


def test_lists_that_rank_absent_items_last_are_refused():
    lists = draw_lists()
    with pytest.raises(InputError, match="got 'auto', which ranks absent items of query 'a' last"):
        PlackettLuce(covariates=["place"]).fit_transform(lists)


def battles_with(**columns):
    """Return battles with a covariate of both sides, and encode them."""
    battles = draw_battles(20).assign(**columns)
    return RankedLists.from_comparisons(
        battles,
        covariates={"length": ("tokens_a", "tokens_b"), "x": ("x_a", "x_b")},
    )


def test_a_covariate_that_is_constant_within_lists_is_refused():
    noise = 1e6 + np.random.default_rng(0).normal(size=600)
    lists = battles_with(x_a=noise, x_b=noise)
    with pytest.raises(InputError, match="Covariate 'x' must vary within lists; it is constant in each list, so it"):
        PlackettLuce(covariates=["x"]).fit(lists)
    with pytest.raises(InputError, match="constant in each list"):
        PlackettLuce(covariates=["x"]).fit(battles_with(x_a=2.0, x_b=2.0))


def test_a_combination_of_items_and_covariates_is_refused():
    battles = draw_battles(20)
    of_item = [battles[side].str[1:].astype(float) ** 2 for side in ("model_a", "model_b")]
    lists = battles_with(x_a=of_item[0], x_b=of_item[1])
    with pytest.raises(InputError, match=r"The items must not determine .* 'x' within lists; they do, so"):
        PlackettLuce(covariates=["x", "length"]).fit(lists)
    mixed = battles_with(x_a=of_item[0] - 2 * battles["tokens_a"] + 5, x_b=of_item[1] - 2 * battles["tokens_b"] + 5)
    PlackettLuce(covariates=["x"]).fit(mixed)
    with pytest.raises(InputError, match="The items and 'length' must not determine"):
        PlackettLuce(covariates=["length", "x"]).fit(mixed)
    with pytest.raises(InputError, match=r"The items and 'x' must not determine .* 'length'"):
        PlackettLuce(covariates=["x", "length"]).fit(mixed)


def test_a_large_offset_of_a_covariate_is_no_reason_to_refuse():
    battles = draw_battles(20)
    rng = np.random.default_rng(1)
    x_a, x_b = 1e6 + 1e-3 * rng.normal(size=(2, len(battles)))
    PlackettLuce(covariates=["x"]).fit(battles_with(x_a=x_a, x_b=x_b))


@pytest.mark.parametrize("prior", [0.5, 0])
def test_a_covariate_that_separates_is_refused_unless_there_is_a_ridge(prior):
    battles = draw_battles(20)
    lists = battles_with(x_a=battles["winner"], x_b=1 - battles["winner"])
    with pytest.raises(InputError, match="Covariate 'x' must not separate winners from losers perfectly; it does, so"):
        PlackettLuce(prior=prior, covariates=["length", "x"]).fit(lists)
    found = PlackettLuce(prior=prior, covariates=["length", "x"], ridge=1.0).fit(lists)
    assert np.isfinite(coefficients(found)["coefficient"]).all()


def test_a_covariate_that_separates_together_with_the_worths_is_refused():
    # Each item wins 8 of 16 duels in which d is shown first. All other duels are won by c, which is then shown first.
    # So the likelihood grows without bound if the worth of c and the effect of the first place grow equally.
    duels = pd.DataFrame(
        {"model_a": list("cdd"), "model_b": list("dcc"), "winner": ["model_a", "model_a", "model_b"], "n": [20, 8, 8]}
    )
    for factor in (1, 100):
        lists = RankedLists.from_comparisons(duels.assign(n=duels["n"] * factor), weight="n", position=True)
        with pytest.raises(InputError, match="Covariate 'position' must not separate winners from losers perfectly"):
            PlackettLuce(prior=0, covariates=["position"]).fit(lists)


def test_errors_name_the_query():
    parts = [encode(draw_battles(21), query="a"), encode(draw_battles(22).assign(tokens_a=1, tokens_b=1), query="b")]
    lists = RankedLists.concat(parts)
    with pytest.raises(InputError, match=r"constant in each list in query 'b', .* or choose coefficients='all'"):
        PlackettLuce(covariates=NAMES).fit(lists)
    assert len(PlackettLuce(covariates=NAMES, coefficients="all").fit(lists).coefficients_) == 2


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_errors_about_weights_of_0_name_the_weights():
    one, other = draw_battles(21), draw_battles(22)
    without = encode(other.assign(weight=0.0), query="b", weight="weight")
    lists = RankedLists.concat([encode(one, query="a"), without])
    message = (
        r"Coefficients of covariates need lists with weights above 0; all weights in query 'b' are 0\. Drop the query, "
        r"or choose coefficients='all'\."
    )
    with pytest.raises(InputError, match=message):
        PlackettLuce(covariates=NAMES).fit(lists)
    pooled = PlackettLuce(covariates=NAMES, coefficients="all").fit(lists)
    np.testing.assert_allclose(
        coefficients(pooled)["coefficient"],
        coefficients(PlackettLuce(covariates=NAMES).fit(encode(one)))["coefficient"],
        rtol=1e-6,
    )
    with pytest.raises(InputError, match=r"all weights are 0\. Check the weights\."):
        PlackettLuce(covariates=NAMES).fit(without)
    # The covariate varies only in lists of weight 0.
    half = other.assign(weight=(other.index % 2).astype(float))
    half["tokens_a"] = np.where(half["weight"] > 0, half["tokens_b"], half["tokens_a"])
    with pytest.raises(InputError, match="it is constant in each list of weight above 0, so it cannot"):
        PlackettLuce(covariates=["length"]).fit(encode(half, weight="weight"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ridge": 1.0}, r"`ridge` of PlackettLuce must be 0; got 1\.0\. Name the covariates, or"),
        ({"coefficients": "all"}, "`coefficients` of PlackettLuce must be 'query'; got 'all'"),
        ({"ridge": 2, "covariates": []}, "`ridge` of PlackettLuce must be 0; got 2"),
    ],
)
def test_parameters_of_coefficients_are_refused_without_covariates(options, message):
    lists = encode(draw_battles(21))
    with pytest.raises(InputError, match=message):
        PlackettLuce(**options).fit(lists)
    PlackettLuce(ridge=0, coefficients="query").fit(lists)


def test_items_that_never_met_get_infinite_errors_but_coefficients_do_not():
    one, other = draw_battles(23), draw_battles(24)
    other["model_a"], other["model_b"] = "x" + other["model_a"], "x" + other["model_b"]
    lists = encode(pd.concat([one, other]))
    method = PlackettLuce(covariates=NAMES, std_errors="model")
    with pytest.warns(NotComparedWarning):
        scores = method.fit_transform(lists)
    assert np.isinf(scores["std_error"]).all() and (coefficients(method)["std_error"] < 1).all()
    with pytest.raises(InputError, match="fall into 2 groups"), warnings.catch_warnings():
        warnings.simplefilter("ignore", NotComparedWarning)
        PlackettLuce(prior=0, covariates=NAMES).fit(lists)


def test_one_judge_is_refused():
    with pytest.raises(InputError, match="needs at least two groups in each query; query 'q' has 1"):
        PlackettLuce(covariates=NAMES, std_errors="judge").fit(encode(draw_battles(n_judges=1)))
    with pytest.raises(InputError, match="needs at least two groups; got 1"):
        PlackettLuce(covariates=NAMES, std_errors="judge", coefficients="all").fit(encode(draw_battles(n_judges=1)))


# ---------------------------------------------------------------------- replicates


def mixed_lists():
    """Return a query of duels and a query of longer lists."""
    duels = encode(draw_battles(8, n=200)).to_frame().assign(voter=lambda rows: "d" + rows["voter"].astype(str))
    duels = duels.rename(columns={"position": "place"}).drop(columns="judge").assign(weight=1.0)
    more = draw_lists(9, queries=("z",)).to_frame().assign(duel=0, weight=1.0).drop(columns="panel")
    more = more.assign(voter="v" + more["voter"].astype(str), item="i" + more["item"].astype(str))
    return RankedLists.from_frame(pd.concat([duels, more]), covariates=["place", "length"])


@pytest.mark.parametrize("options", [{}, {"coefficients": "all"}, {"ties": "efron", "scale": "elo"}, {"ridge": 2.0}])
@pytest.mark.parametrize("make", [mixed_lists, lambda: mixed_lists()[[0]], lambda: mixed_lists()[[1]]])
def test_replicates_are_fits_with_other_weights(options, make):
    lists = make()
    method = PlackettLuce(covariates=["place", "length"], absent="ignore", **options)
    weights = np.random.default_rng(0).poisson(1.0, (lists.n_lists, 6)).astype(float)
    found = method._repeat_many(lists)(weights)
    for k in range(6):
        expected = method._aggregate(lists.with_list_weight(weights[:, k])).score
        near(found[:, k], expected, rel=1e-5, abs=1e-5)
        near(method._repeat(lists)(weights[:, k]), expected, rel=1e-5, abs=1e-5)


def test_replicates_without_prior_are_fits_with_other_weights():
    lists = encode(draw_battles(3))
    method = PlackettLuce(covariates=NAMES, prior=0)
    weights = np.random.default_rng(0).poisson(1.0, (lists.n_lists, 2)).astype(float)
    found = method._repeat_many(lists)(weights)
    near(found[:, 1], method._aggregate(lists.with_list_weight(weights[:, 1])).score, rel=1e-9)


def test_a_replicate_far_from_the_estimate_is_fitted_by_newtons_method():
    lists = encode(draw_battles(4, n=60))
    method = PlackettLuce(covariates=NAMES)
    weights = np.zeros((lists.n_lists, 2))
    weights[:25, 0] = 60.0
    weights[:, 1] = 1.0
    found = method._repeat_many(lists)(weights)
    expected = method._aggregate(lists.with_list_weight(weights[:, 0])).score
    near(found[:, 0], expected, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("unit", ["list", "judge"])
def test_rank_stability_refits_with_covariates(unit):
    from skrankagg.inspection import rank_stability

    lists = encode(draw_battles(17, n=400, style=0.8))
    method = PlackettLuce(covariates=NAMES)
    found = rank_stability(method, lists, unit=unit, n_resamples=30, random_state=1)

    # The same draws with a loop of fits.
    class Loop(PlackettLuce):
        """Fit each replicate with the whole method."""

        def _repeat_many(self, lists):
            def scores(weights):
                return np.stack([self._aggregate(lists.with_list_weight(w)).score for w in weights.T], axis=1)

            return scores

    expected = rank_stability(Loop(covariates=NAMES), lists, unit=unit, n_resamples=30, random_state=1)
    assert_frame_equal(found, expected, rtol=1e-5)


def test_merged_queries_keep_covariates_when_queries_are_drawn():
    from skrankagg.inspection import rank_stability

    parts = [encode(draw_battles(30 + k, n=60, n_items=4), query=f"q{k}") for k in range(8)]
    lists = RankedLists.concat(parts)
    found = rank_stability(PlackettLuce(covariates=NAMES), lists, unit="query", n_resamples=20)
    assert found["item"].tolist()[0] == "m3"
