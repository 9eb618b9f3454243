"""Covariates stay with their rows in all operations on lists, and methods use them only on request."""

import copy
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg import PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.preprocessing import TopK, VoterSelector
from skrankagg.utils.discovery import all_aggregators
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

NAMES = ["place", "length"]


def long_frame(seed=0, **sizes):
    """Return lists with ties, scores, judges and two covariates; `length` identifies the query, voter and item."""
    frame = example_lists(seed, **({"n_queries": 3, "n_voters": 4, "n_items": 6} | sizes))
    frame["rank"] = frame.groupby(["query", "voter"])["score"].rank("min", ascending=False) // 2
    frame["judge"] = "j" + frame["voter"].astype(str)
    rng = np.random.default_rng(seed)
    frame["place"] = rng.permutation(len(frame)).astype(float)
    frame["length"] = [len(frame) * 10.0 + k + 0.25 for k in range(len(frame))]
    return frame.drop(columns="score")


@pytest.fixture
def frame():
    """Return a frame of lists with covariates, in random order of the rows."""
    return long_frame().sample(frac=1, random_state=1)


@pytest.fixture
def lists(frame):
    """Encode the frame."""
    return RankedLists.from_frame(frame.reset_index(drop=True), groups=["judge"], covariates=NAMES)


def cells(lists):
    """Return a dict of (query, voter, item) to covariates."""
    rows = lists.to_frame()
    keys = rows[["query", "voter", "item"]].itertuples(index=False, name=None)
    return dict(zip(keys, rows[NAMES].to_numpy().tolist(), strict=True))


def test_each_row_keeps_its_covariates(frame, lists):
    assert lists.covariates == ("place", "length")
    assert lists.row_covariates.dtype == np.float64 and lists.row_covariates.shape == (lists.n_rows, 2)
    assert lists.row_covariates.flags.c_contiguous and not lists.row_covariates.flags.writeable
    keys = frame[["query", "voter", "item"]].itertuples(index=False, name=None)
    assert cells(lists) == dict(zip(keys, frame[NAMES].to_numpy().tolist(), strict=True))
    assert (np.diff(lists.rank) == 0).any()  # ties are sorted again


def test_sorted_frames_do_not_share_memory(lists):
    frame = lists.to_frame()
    again = RankedLists.from_frame(frame, groups=["judge"], covariates=NAMES)
    frame[NAMES] = 0.0
    assert again.equals(lists)


def test_covariates_survive_frames_pickles_and_copies(lists):
    for other in (
        RankedLists.from_frame(lists.to_frame(), groups=["judge"], covariates=NAMES),
        RankedLists.from_frame(lists.to_frame(), groups=["judge"], covariates=NAMES, strip=True),
        pickle.loads(pickle.dumps(lists)),
        pickle.loads(pickle.dumps(lists[[0, 1, 2]])),
        copy.deepcopy(lists),
        copy.copy(lists),
        RankedLists.concat([lists[[1]], lists[[0, 2]]]),
        lists.with_list_weight(2 * lists.list_weight).with_list_weight(lists.list_weight),
    ):
        assert other.equals(lists) and other.covariates == lists.covariates
        assert np.array_equal(other.row_covariates, lists.row_covariates)
    assert not RankedLists.from_frame(lists.to_frame(), groups=["judge"]).equals(lists)
    other = lists.row_covariates.copy()
    other[3, 1] += 1
    assert not RankedLists(**{**lists._fields(), "row_covariates": other}).equals(lists)


def test_pickles_of_earlier_versions_have_no_covariates(lists):
    from skrankagg._data._immutable import make

    old = list(lists._fields().values())[:-2]
    other = make(RankedLists, *old)
    assert other.covariates is None and other.row_covariates is None


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
def test_covariates_survive_subsets(lists):
    whole = cells(lists)
    chosen = np.arange(lists.n_lists) % 3 != 0
    rows = np.arange(lists.n_rows) % 4 != 0
    rows[lists.row_ptr[:-1]] = True
    for other in (
        lists[[2, 0]],
        lists[[2, 0]][[1]],
        lists.take([1]),
        lists.keep_lists(chosen)[0],
        lists.keep_rows(rows)[0],
        lists.select(items=lists.items[:3].tolist()),
        lists[[1, 2]].select(voters=lists.voters[:2].tolist()),
        TopK(2).fit_transform(lists),
        VoterSelector().fit_transform(lists),
    ):
        found = cells(other)
        assert found and found.items() <= whole.items()
    plain = RankedLists.from_frame(lists.to_frame())
    assert plain[[0]].covariates is None and plain[[0]].row_covariates is None


def test_subsets_copy_rows_once(lists):
    part = lists.take([0])
    for name in ("candidate", "rank", "score", "candidate_item"):
        getattr(part, name)
    assert "_source" in part.__dict__
    assert part.row_covariates.shape == (part.n_rows, 2)
    assert "_source" not in part.__dict__


def test_divided_queries_keep_covariates(lists):
    from skrankagg._data._divided import divide_queries

    group = np.arange(lists.n_lists) % 2
    divided, order, *_ = divide_queries(lists, group, whole=True)
    rows = np.concatenate([np.arange(lists.row_ptr[v], lists.row_ptr[v + 1]) for v in order])
    assert np.array_equal(divided.row_covariates, lists.row_covariates[rows])


def test_transformers_name_the_columns(lists):
    step = TopK(2).set_output(transform="pandas")
    assert step.fit_transform(lists).columns.tolist() == step.get_feature_names_out().tolist()
    assert step.get_feature_names_out().tolist()[-3:] == ["judge", *NAMES]


@pytest.mark.filterwarnings("ignore")
def test_no_method_reads_covariates_unasked(lists):
    lists = lists.with_score(-lists.rank)
    plain = RankedLists.from_frame(lists.to_frame(), groups=["judge"])
    for name, method in all_aggregators().items():
        if method().__sklearn_tags__().aggregator_tags.supervised:
            continue
        expected = method().fit_transform(plain)
        assert_frame_equal(method().fit_transform(lists), expected, obj=name, check_exact=True)


def test_pooled_queries_keep_covariates(lists):
    from skrankagg.inspection._resampling import _pool

    pooled = _pool(lists)
    assert pooled.covariates == lists.covariates
    assert sorted(pooled.row_covariates.tolist()) == sorted(lists.row_covariates.tolist())


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        ({}, {"covariates": "place"}, InputTypeError, "must be a list of column names; got 'place'. Write"),
        ({}, {"covariates": [3]}, InputTypeError, "must be column names of type str; got 3"),
        ({}, {"covariates": ["plaec"]}, InputError, "'plaec' is not among .* (did you mean 'place'?)"),
        ({}, {"covariates": ["rank"]}, InputError, "must not contain 'rank', because"),
        ({}, {"covariates": ["place", "place"]}, InputError, "must be different columns"),
        ({}, {"covariates": ["judge"], "groups": ["judge"]}, InputError, "'judge' is in both"),
        ({"place": np.nan}, {}, InputError, "Column 'place' must have finite numbers"),
        ({"place": np.inf}, {}, InputError, "Column 'place' must have finite numbers"),
        ({"place": "long"}, {}, InputError, "Column 'place' must have numbers"),
        ({}, {"duplicates": "mean"}, InputError, "must not be 'mean' with covariates"),
    ],
)  # fmt: skip
def test_from_frame_refuses_bad_covariates(frame, change, options, error, message):
    message = re.escape(message).replace(re.escape(".*"), ".*")
    with pytest.raises(error, match=message):
        RankedLists.from_frame(frame.assign(**change).reset_index(drop=True), **{"covariates": NAMES, **options})


def test_a_column_position_is_a_covariate_and_not_a_rank():
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b"], "position": [2, 1]})
    with pytest.raises(InputError, match="rank or score"):
        RankedLists.from_frame(frame, covariates=["position"])
    lists = RankedLists.from_frame(frame.assign(rank=[1, 2]), covariates=["position"])
    assert lists.row_covariates.tolist() == [[2.0], [1.0]]


def test_first_and_best_keep_the_covariates_of_the_row():
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b", "a"], "rank": [3, 2, 1], "length": [7, 8, 9]})
    for option, expected in (("first", {"a": 7.0, "b": 8.0}), ("best", {"a": 9.0, "b": 8.0})):
        rows = RankedLists.from_frame(frame, covariates=["length"], duplicates=option).to_frame()
        assert dict(zip(rows["item"], rows["length"], strict=True)) == expected


def test_concat_refuses_different_covariates(lists):
    with pytest.raises(InputError, match=r"the same covariates; got \['place', 'length'\], \['place'\]"):
        RankedLists.concat(
            [lists[[0]], RankedLists.from_frame(lists[[1]].to_frame(), groups=["judge"], covariates=["place"])]
        )


# ---------------------------------------------------------------------- comparisons


@pytest.fixture
def battles():
    """Return duels with tokens of both answers, and their difference."""
    games = make_comparisons(5, 60, n_voters=3, tie_probability=0.2, random_state=0).comparisons
    rng = np.random.default_rng(0)
    games["outcome"] = np.where(games["tie"], 0.5, 1.0)
    turned = rng.random(len(games)) < 0.5
    first = np.where(turned, games["loser"], games["winner"])
    second = np.where(turned, games["winner"], games["loser"])
    outcome = np.where(games["tie"], 0.5, np.where(turned, 0.0, 1.0))
    frame = pd.DataFrame({"model_a": first, "model_b": second, "winner": outcome, "judge": games["judge"]})
    frame["tokens_a"], frame["tokens_b"] = rng.integers(1, 900, (2, len(frame)))
    frame["gap"] = frame["tokens_a"] - frame["tokens_b"]
    return frame


def differences(lists):
    """Return the difference of the covariates in each list, as the smaller item's value minus the larger item's."""
    sign = np.where(lists.candidate[::2] < lists.candidate[1::2], 1.0, -1.0)
    return (lists.row_covariates[::2] - lists.row_covariates[1::2]) * sign[:, None]


def test_comparisons_have_covariates_of_both_sides(battles):
    lists = RankedLists.from_comparisons(
        battles, covariates={"length": ("tokens_a", "tokens_b"), "gap": "gap"}, position=True, voter="judge"
    )
    assert lists.covariates == ("length", "gap", "position") and lists.n_lists == len(battles)
    rows = lists.to_frame()
    first = rows[rows["position"] == 1]
    assert (rows["position"].isin([0.0, 1.0])).all() and len(first) == len(battles)
    expected = sorted(zip(battles["model_a"], battles["tokens_a"], strict=True))
    assert sorted(zip(first["item"], first["length"], strict=True)) == expected
    assert np.array_equal(differences(lists)[:, 0], differences(lists)[:, 1])
    # The winner of each comparison is the upper item.
    whole = battles[battles["winner"] != 0.5]
    winner = np.where(whole["winner"] == 1, whole["tokens_a"], whole["tokens_b"])
    assert sorted(rows.loc[rows["rank"] == 1, "length"]) == sorted(winner)


def test_equal_comparisons_with_equal_covariates_are_merged(battles):
    plain = RankedLists.from_comparisons(battles)
    position = RankedLists.from_comparisons(battles, position=True)
    assert plain.n_lists < position.n_lists < len(battles) and position.list_weight.sum() == len(battles)
    battles["even"] = 0
    assert RankedLists.from_comparisons(battles, covariates=["even"]).n_lists == plain.n_lists
    # A duel and the same duel with exchanged sides are equal.
    turned = battles.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    turned = turned.assign(winner=1 - turned["winner"], gap=-turned["gap"].clip(-1, 1))
    both = pd.concat([battles.assign(gap=battles["gap"].clip(-1, 1)), turned])
    one = RankedLists.from_comparisons(both, covariates=["gap"])
    assert one.n_lists == RankedLists.from_comparisons(both[: len(battles)], covariates=["gap"]).n_lists
    assert (one.list_weight % 2 == 0).all()


@pytest.mark.parametrize("n_values", [3, 30, 1_000])
def test_lists_get_equal_codes_if_all_their_covariates_are_equal(n_values):
    from skrankagg._data._covariates import codes_to_merge

    rng = np.random.default_rng(n_values)
    one, other, row = rng.integers(-1, n_values, (2, 400)) * 1e-3, rng.integers(0, 2, (2, 400)) - 0.5, np.arange(400)
    one[0, ::3] *= -0.0  # equal to 0.0
    turned = rng.random(400) < 0.5
    code = codes_to_merge({"one": tuple(one), "other": tuple(other)}, row, turned)
    values = [tuple(np.where(t, pair[::-1], pair)) for pair, t in zip(one.T, turned, strict=True)]
    values = [(*pair, *(both[::-1] if t else both)) for pair, both, t in zip(values, other.T, turned, strict=True)]
    n_different = len(set(values))
    if n_different > 200:
        assert code is None
    else:
        assert len(set(zip(code, values, strict=True))) == len(set(code)) == n_different


def test_covariates_of_winners_and_losers(battles):
    games = pd.DataFrame({"winner": ["a", "b"], "loser": ["b", "c"], "words": [3, -1], "x": [5, 6], "y": [7, 9]})
    lists = RankedLists.from_comparisons(games, covariates={"words": "words", "z": ["x", "y"]})
    assert lists.row_covariates.tolist() == [[1.5, 5], [-1.5, 7], [-0.5, 6], [0.5, 9]]


def test_shares_have_the_covariates_on_both_lists():
    frame = pd.DataFrame({"first": ["a"], "second": ["b"], "outcome": [0.7], "gap": [4.0]})
    lists = RankedLists.from_comparisons(frame, covariates=["gap"], position=True)
    rows = lists.to_frame()
    assert lists.n_lists == 2
    assert set(zip(rows["item"], rows["gap"], rows["position"], strict=True)) == {("a", 2, 1), ("b", -2, 0)}


def test_concat_of_comparisons_keeps_covariates(battles):
    days = [
        RankedLists.from_comparisons(part, covariates=["gap"], position=True) for part in (battles[:30], battles[30:])
    ]
    both = RankedLists.concat(days)
    assert both.covariates == ("gap", "position") and both.n_lists == sum(day.n_lists for day in days)
    assert np.array_equal(both.row_covariates, np.concatenate([day.row_covariates for day in days]))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"covariates": "gap"}, InputTypeError, "must be a list of column names"),
        ({"covariates": {"length": ("tokens_a", "token_b")}}, InputError, "'token_b' is not among"),
        ({"covariates": {"length": ("tokens_a", "tokens_b", "gap")}}, InputTypeError, "or to one column of diff"),
        ({"covariates": {"length": 3}}, InputTypeError, "got 3 for 'length'"),
        ({"covariates": {"item": "gap"}}, InputError, "must not contain 'item'"),
        ({"covariates": {"judge": "gap"}, "groups": ["judge"]}, InputError, "'judge' is in both"),
        ({"covariates": {"judge": "gap"}, "voter": "judge"}, InputError, "'judge' is in both"),
        ({"covariates": {"position": "gap"}, "position": True}, InputError, "must not contain 'position'"),
        ({"position": 1}, InputTypeError, "`position` must be True or False"),
        ({"covariates": ["gap"], "reconcile": True, "voter": "judge"}, InputError, "must be left out"),
        ({"covariates": ["winner"]}, InputError, "is not among|must have numbers"),
    ],
)  # fmt: skip
def test_from_comparisons_refuses_bad_covariates(battles, options, error, message):
    battles["winner"] = battles["winner"].map({1.0: "model_a", 0.0: "model_b", 0.5: "tie"})
    with pytest.raises(error, match=message):
        RankedLists.from_comparisons(battles, **options)


def test_from_comparisons_refuses_positions_of_winners_and_losers():
    with pytest.raises(InputError, match="it is unknown which item was shown first"):
        RankedLists.from_comparisons(pd.DataFrame({"winner": ["a"], "loser": ["b"]}), position=True)


def test_a_missing_covariate_is_refused_by_name(battles):
    with pytest.raises(InputError, match="Column 'tokens_b' must have finite numbers; 1 rows"):
        RankedLists.from_comparisons(
            battles.assign(tokens_b=battles["tokens_b"].where(battles.index != 3)),
            covariates={"length": ("tokens_a", "tokens_b")},
        )


def test_scores_stay_the_same_for_plackett_luce(battles):
    with_them = RankedLists.from_comparisons(battles, covariates=["gap"])
    fields = {**with_them._fields(), "covariates": None, "row_covariates": None}
    assert_frame_equal(
        PlackettLuce().fit_transform(with_them), PlackettLuce().fit_transform(RankedLists(**fields)), check_exact=True
    )


@pytest.mark.parametrize("lazy", [False, True])
def test_covariates_of_other_frames(frame, lists, lazy):
    polars = pytest.importorskip("polars", reason="polars has other frames")
    other = polars.DataFrame(frame.to_dict(orient="list"))
    found = RankedLists.from_frame(other.lazy() if lazy else other, groups=["judge"], covariates=NAMES)
    assert found.equals(lists)


def test_truth_values_are_covariates():
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b"], "rank": [1, 2], "bold": [True, False]})
    assert RankedLists.from_frame(frame, covariates=["bold"]).row_covariates.tolist() == [[1.0], [0.0]]
