"""RankedLists.from_scores and Qrels.from_labels: matrices of queries by items, and classes of samples."""

import cProfile
import pstats

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, top_k_accuracy_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skrankagg import BordaCount, CombSUM, Comparator, LearnedWeights, Qrels, RankedLists, evaluate
from skrankagg.exceptions import InputError, InputTypeError, SimilarIdsWarning
from skrankagg.metrics import make_ranking_scorer

pytestmark = pytest.mark.twice


def by_hand(cube, queries, voters, items, lower=(), weights=None):
    """Encode a cube of voters, queries and items with loops over the cells and `from_frame`."""
    rows = [
        (queries[q], voter, items[k], -one if voter in lower else one, 1.0 if weights is None else weights[voter])
        for v, voter in enumerate(voters)
        for q, row in enumerate(cube[v])
        for k, one in enumerate(row)
        if not np.isnan(one)
    ]
    return RankedLists.from_frame(pd.DataFrame(rows, columns=["query", "voter", "item", "score", "weight"]))


def same(found, expected):
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    assert found.equals(expected)


NAMES = st.sampled_from(["str", "int", "mixed order", "default"])


@given(data=st.data(), kind=NAMES, shape=st.tuples(*[st.integers(1, 5)] * 3))
@settings(max_examples=120, deadline=None)
def test_from_scores_equals_a_loop_over_the_cells(data, kind, shape):
    n_voters, n_queries, n_items = shape
    cells = st.sampled_from([np.nan, -1.5, 0.0, 0.25, 2.0]) | st.floats(-1e300, 1e300)
    flat = data.draw(st.lists(cells, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    cube = np.array(flat).reshape(shape)
    if np.isnan(cube).all():
        cube[0, 0, 0] = 1.0
    names = {
        "str": lambda n, letter: [f"{letter}{9 - k}" for k in range(n)],
        "int": lambda n, letter: [7 * k % 5 for k in range(n)],
        "mixed order": lambda n, letter: data.draw(st.permutations([f"{letter} {k}" for k in range(n)])),
        "default": lambda n, letter: list(range(n)),
    }[kind]
    queries, voters, items = (names(n, letter) for n, letter in zip((n_queries, n_voters, n_items), "qvi", strict=True))
    lower = data.draw(st.lists(st.sampled_from(voters), unique=True))
    weights = data.draw(st.none() | st.just({voter: 1.5 + k for k, voter in enumerate(voters)}))
    options = {"lower_is_better": lower, "weights": weights}
    options |= {} if kind == "default" else {"queries": queries, "items": items}
    expected = by_hand(cube, queries, voters, items, lower, weights)
    same(RankedLists.from_scores(dict(zip(voters, cube, strict=True)), **options), expected)
    same(RankedLists.from_scores(cube, voters=None if kind == "default" else voters, **options), expected)
    same(RankedLists.from_scores(cube.tolist(), voters=voters, **options), expected)
    if weights is not None:
        same(RankedLists.from_scores(cube, voters=voters, **(options | {"weights": list(weights.values())})), expected)


def test_data_frames_are_matched_by_their_labels():
    lr = pd.DataFrame([[0.9, 0.1], [0.4, np.nan]], index=["s2", "s1"], columns=["yes", "no"])
    rf = pd.DataFrame([[0.6, 0.4], [0.3, 0.7]], index=["s1", "s2"], columns=["no", "yes"])
    expected = RankedLists.from_runs({
        "lr": {"s2": {"yes": 0.9, "no": 0.1}, "s1": {"yes": 0.4}},
        "rf": {"s1": {"no": 0.6, "yes": 0.4}, "s2": {"no": 0.3, "yes": 0.7}},
    })  # fmt: skip
    same(RankedLists.from_scores({"lr": lr, "rf": rf}), expected)
    same(RankedLists.from_scores([lr, rf], voters=["lr", "rf"]), expected)
    renamed = RankedLists.from_scores({"lr": lr, "rf": rf}, queries=[7, 3], items=["Y", "N"])
    assert renamed.to_runs()["rf"] == {3: {"N": 0.6, "Y": 0.4}, 7: {"Y": 0.7, "N": 0.3}}
    nullable = {"lr": lr.astype("Float64"), "rf": rf.astype("Float64")}
    same(RankedLists.from_scores(nullable), expected)


def test_frames_of_polars_have_names_of_items():
    polars = pytest.importorskip("polars", reason="polars has other frames")
    frames = {
        "u": polars.DataFrame({"b": [1.0, None], "a": [2.0, 3.0]}),
        "v": polars.DataFrame({"a": [1, 2], "b": [3, 4]}),
    }
    expected = {"u": {0: {"a": 2.0, "b": 1.0}, 1: {"a": 3.0}}, "v": {0: {"b": 3.0, "a": 1.0}, 1: {"b": 4.0, "a": 2.0}}}
    assert RankedLists.from_scores(frames).to_runs() == expected


def test_large_integers_stay_in_exact_order():
    cube = np.array([[[2**60, 2**60 + 1, 2**60 - 1]]])
    assert RankedLists.from_scores(cube, items=list("abc")).to_frame()["item"].tolist() == ["b", "a", "c"]
    low = RankedLists.from_scores(cube.astype(np.uint64), items=list("abc"), lower_is_better=True)
    assert low.to_frame()["item"].tolist() == ["c", "a", "b"]


@pytest.mark.parametrize("other", [[[0.5, 1.0]], np.array([[1, 2]], dtype=np.uint64)])
def test_large_integers_of_one_voter_do_not_become_equal_floats(other):
    large = np.array([[2**53 + 1, 2**53]])
    with pytest.raises(InputError, match=r"float64 must represent all integers exactly; 'v' has 9007199254740993"):
        RankedLists.from_scores({"u": other, "v": large})
    assert RankedLists.from_scores({"u": other, "v": large - 1}).n_voters == 2  # 2**53 and 2**53 - 1 are exact


def test_masked_cells_are_absent():
    cube = np.ma.masked_array([[[1.0, 2.0, 3.0]], [[3, 2, 1]]], mask=[[[False, True, False]], [[True, False, False]]])
    expected = {"u": {0: {"c": 3.0, "a": 1.0}}, "v": {0: {"b": 2.0, "c": 1.0}}}
    for scores in (cube, {"u": cube[0], "v": cube[1]}, {"u": cube[0], "v": cube[1].astype(int)}):
        names = {} if isinstance(scores, dict) else {"voters": ["u", "v"]}
        assert RankedLists.from_scores(scores, items=list("abc"), **names).to_runs() == expected


def test_a_series_of_matrices_names_the_voters():
    scores = pd.Series({"u": SQUARE, "v": FRAME.to_numpy()})
    assert RankedLists.from_scores(scores).to_runs() == RankedLists.from_scores(scores.to_dict()).to_runs()


def test_names_of_several_levels_are_refused():
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    for scores, names in (({"u": pd.DataFrame(SQUARE, columns=levels)}, {}), ({"u": SQUARE}, {"items": levels})):
        with pytest.raises(InputTypeError, match=r"`items` of .* one level of names; got an index of 2 levels\. Join"):
            RankedLists.from_scores(scores, **names)


def test_zero_stays_positive_if_lower_is_better():
    lists = RankedLists.from_scores([[[0.0, 1.0]]], lower_is_better=True)
    assert lists.score.tolist() == [0.0, -1.0] and not np.signbit(lists.score[0])


def test_empty_lists_queries_items_and_voters_are_left_out():
    cube = np.full((3, 3, 3), np.nan)
    cube[0, 0, 0], cube[2, 0, 1], cube[2, 2, 0] = 1.0, 2.0, 3.0
    lists = RankedLists.from_scores(cube, queries=list("pqr"), items=list("abc"), voters=list("uvw"))
    assert (lists.queries.tolist(), lists.voters.tolist(), lists.items.tolist()) == (["p", "r"], ["u", "w"], ["a", "b"])
    assert lists.to_runs() == {"u": {"p": {"a": 1.0}}, "w": {"p": {"b": 2.0}, "r": {"a": 3.0}}}


def test_names_keep_the_dtype_of_an_index():
    items = pd.CategoricalIndex(["no", "yes"])
    lists = RankedLists.from_scores([[[0.2, 0.8]]], items=items, queries=pd.date_range("2026-01-01", periods=1))
    assert isinstance(lists.items, pd.CategoricalIndex) and lists.queries.dtype.kind == "M"
    assert RankedLists.from_scores([[[0.2, 0.8]]], items=np.array(["no", "yes"])).items.dtype == pd.Series(["a"]).dtype


def test_from_scores_warns_of_similar_names():
    with pytest.warns(SimilarIdsWarning, match=r"strip=True to RankedLists\.from_scores|These ids differ only"):
        RankedLists.from_scores([[[0.2, 0.8]]], items=["Yes", "yes"])


def test_the_number_of_calls_does_not_grow_with_the_queries():
    def n_calls(n_queries):
        cube = np.random.default_rng(0).random((4, n_queries, 10))
        profile = cProfile.Profile()
        profile.runcall(RankedLists.from_scores, cube)
        return pstats.Stats(profile).total_calls

    n_calls(10)  # the first call imports modules
    assert n_calls(20_000) < 2 * n_calls(1_200)


SQUARE = [[0.5, 0.5], [1.0, 0.0]]
FRAME = pd.DataFrame(SQUARE, index=["p", "q"], columns=["a", "b"])


@pytest.mark.parametrize(
    ("scores", "options", "error", "words"),
    [
        ({}, {}, InputError, "must have at least one voter; got none"),
        (np.array(SQUARE), {}, InputError, r"must have three axes, .* got an array of shape \(2, 2\)\. Wrap a single"),
        (FRAME, {}, InputTypeError, r"an array of shape .*; got DataFrame\. Wrap a single matrix: \{'voter': matrix\}"),
        ("text", {}, InputTypeError, "must be a dict of voter to matrix"),
        (
            SQUARE,
            {},
            InputError,
            r"`scores\[0\]` of .* a row for each query and a column for each item; got 1 dimension",
        ),
        (
            {"u": [[1.0], [1.0, 2.0]]},
            {},
            InputTypeError,
            r"`scores\['u'\]` of .*rows of equal length, one row for each query",
        ),
        ({"u": [["x"]]}, {}, InputTypeError, "must be a matrix of numbers"),
        (
            {"lr": SQUARE, "rf": [[1.0], [2.0]]},
            {},
            InputError,
            r"the same shape; got \(2, 2\) for 'lr' and \(2, 1\) for 'rf'\. Add columns of NaN",
        ),
        (
            {"u": SQUARE},
            {"queries": ["q"]},
            InputError,
            "`queries` of .* must be 2 different names, one for each query",
        ),
        (
            {"u": SQUARE},
            {"items": ["a", "a"]},
            InputError,
            "`items` .* one for each item in the matrix; got 2 names, 1 of them",
        ),
        (
            {"u": SQUARE},
            {"items": ["a", None]},
            InputError,
            "`items` of .* must have no missing ids; got None at position 1",
        ),
        ({"u": SQUARE}, {"items": ["a", 1]}, InputTypeError, "ids that can be sorted"),
        ({"u": SQUARE}, {"voters": ["v"]}, InputError, "`voters` .* must be None if `scores` is a dict"),
        ([SQUARE], {"voters": ["v", "w"]}, InputError, "`voters` of .* must be 1 different names, one for each voter"),
        ({"u": [[np.nan]]}, {}, InputError, "must have at least one number; got none"),
        ({"u": np.empty((0, 2))}, {"lower_is_better": True}, InputError, "must have at least one number; got none"),
        (
            {"u": SQUARE, "v": [[1.0, np.inf], [-np.inf, 0.0]]},
            {"items": ["b", "a"], "queries": ["q2", "q1"]},
            InputError,
            "2 are infinite, the first for query 'q1', voter 'v', item 'b'",
        ),
        ({"u": SQUARE}, {"lower_is_better": ["w"]}, InputError, "names 'w', which is not a voter; there are 'u'"),
        ({"u": SQUARE}, {"weights": {"w": 1}}, InputError, "one value for each voter; it names 'w'"),
        ({"u": FRAME, "v": SQUARE}, {}, InputError, "a data frame for each voter, or for no voter; got list for 'v'"),
        (
            {"u": FRAME, "v": FRAME.rename(columns={"b": "c"})},
            {},
            InputError,
            "must have the same items; the items of 'u' and 'v' differ; '[bc]' is only in one of them",
        ),
        ({"u": FRAME, "v": FRAME.iloc[:1]}, {}, InputError, "the queries of 'u' and 'v' differ; 'q' is only in one of"),
    ],
)
def test_from_scores_refuses_other_input_in_one_sentence(scores, options, error, words):
    with pytest.raises(error, match=words) as caught:
        RankedLists.from_scores(scores, **options)
    assert "RankedLists.from_scores" in str(caught.value) or (options and "`" in str(caught.value))
    assert len(str(caught.value)) < 330


# ---------------------------------------------------------------------- classes


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes", "no"],
        ("no", "yes", "no"),
        np.array(["no", "yes", "no"]),
        np.array(["no", "yes", "no"], dtype=object),
        pd.Series(["no", "yes", "no"]),
        pd.Categorical(["no", "yes", "no"]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_from_labels_numbers_the_samples(labels):
    frame = Qrels.from_labels(labels).to_frame()
    assert frame["query"].tolist() == [0, 1, 2] and frame["item"].tolist() == ["no", "yes", "no"]
    assert frame["relevance"].tolist() == [1.0] * 3
    named = Qrels.from_labels(labels, queries=["s9", "s8", "s7"]).to_frame()
    assert dict(zip(named["query"], named["item"], strict=True)) == {"s9": "no", "s8": "yes", "s7": "no"}


@pytest.mark.parametrize(
    ("labels", "queries", "words"),
    [
        ([[0, 1], [1, 0]], None, r"one class for each sample; got \[\[0, 1\], \[1, 0\]\]\. Pass an array of shape"),
        (np.eye(3), None, r"one class for each sample; got .*Qrels\.from_dict"),
        ("yes", None, "one class for each sample; got 'yes'"),
        (5, None, "one class for each sample; got 5"),
        ([0, None, 1, None], None, "2 are missing, the first at position 1. Drop these samples"),
        ([0.0, np.nan], None, "1 are missing, the first at position 1"),
        ([], None, "at least one row"),
        (
            pd.Series([0, 1], index=[5, 0]),
            None,
            r"index begins with \[5, 0\]. Pass queries=y.index if the scores are in f",
        ),
        ([0, 1], ["a"], r"`queries` must be 2 ids, one for each label; got \['a'\]"),
        ([0, 1], {"a": 1, "b": 2}, "`queries` must be 2 ids, one for each label"),
        ([0, 1], ["a", "a"], None),
    ],
)
def test_from_labels_refuses_other_input(labels, queries, words):
    if words is None:  # equal ids of samples with different classes are two relevant items
        assert Qrels.from_labels(labels, queries=queries).n_queries == 1
        return
    with pytest.raises(InputError, match=words):
        Qrels.from_labels(labels, queries=queries)


@pytest.fixture(scope="module")
def iris():
    """Return the classes, the classifiers and their out-of-sample probabilities."""
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    models = {
        "bayes": GaussianNB(),
        "logistic": LogisticRegression(max_iter=1000),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    }
    return (
        X,
        y,
        models,
        {name: cross_val_predict(one, X, y, cv=5, method="predict_proba") for name, one in models.items()},
    )


def test_precision_at_1_is_accuracy(iris):
    _, y, _, probabilities = iris
    classes = np.unique(y)
    lists = RankedLists.from_scores(probabilities, items=classes)
    qrels = Qrels.from_labels(y)
    comparator = Comparator([("sum", CombSUM(norm=None))], metrics=["p@1", "success@2"], qrels=qrels, with_voters=True)
    found = comparator.fit(lists).results_
    for name, one in probabilities.items():
        assert found.loc[name, "p@1"] == pytest.approx(accuracy_score(y, classes[one.argmax(axis=1)]), abs=1e-12)
        if name == "tree":
            continue  # scikit-learn orders the tied classes of the tree in another way
        assert found.loc[name, "success@2"] == pytest.approx(
            top_k_accuracy_score(y, one, k=2, labels=classes), abs=1e-12
        )


def test_the_sum_of_probabilities_is_soft_voting(iris):
    X, y, models, probabilities = iris
    lists = RankedLists.from_scores(probabilities, items=np.unique(y))
    first = CombSUM(norm=None).fit_transform(lists)
    predicted = first[first["rank"] == 1].sort_values("query")["item"].to_numpy()
    voting = VotingClassifier(list(models.items()), voting="soft")
    expected = cross_val_predict(voting, X, y, cv=5)
    assert (predicted == expected).all()
    accuracy = float(evaluate(first, Qrels.from_labels(y), "p@1")["p@1"].iloc[0])
    assert accuracy == pytest.approx(accuracy_score(y, expected), abs=1e-12)


def test_six_classifiers_and_labels_give_cross_validated_accuracies_in_two_calls(iris):
    _, y, _, probabilities = iris
    six = {**probabilities, **{f"{name} again": one for name, one in probabilities.items()}}
    lists, qrels = RankedLists.from_scores(six, items=np.unique(y)), Qrels.from_labels(y)
    methods = [("Borda", BordaCount()), ("sum", CombSUM(norm=None)), ("learnt", LearnedWeights(CombSUM(norm=None)))]
    found = Comparator(methods, metrics="p@1", qrels=qrels, cv=5, verbose=False).fit(lists).results_["p@1"]
    assert list(found.index) == ["Borda", "sum", "learnt"] and (found > 0.9).all()
    for name, method in methods[:2]:
        fused = method.fit_transform(lists)
        assert found[name] == pytest.approx(float(evaluate(fused, qrels, "p@1")["p@1"].iloc[0]), abs=1e-12)
    scores = cross_val_score(CombSUM(norm=None), lists, qrels.align(lists), scoring=make_ranking_scorer("p@1"), cv=5)
    assert scores.mean() == pytest.approx(found["sum"], abs=1e-12)


def test_labels_in_the_place_of_judgements_are_refused_with_the_right_call(iris):
    _, y, _, probabilities = iris
    lists = RankedLists.from_scores(probabilities, items=np.unique(y))
    with pytest.raises((InputError, InputTypeError), match=r"Qrels\.from_labels\(y\)"):
        Comparator([("Borda", BordaCount())], metrics="p@1").fit(lists, y)
    with pytest.raises((InputError, InputTypeError), match=r"Qrels\.from_labels\(y\)"):
        LearnedWeights(CombSUM(norm=None)).fit(lists, y)
    with pytest.raises(InputError, match=r"Qrels\.from_labels\(y\)"):
        make_ranking_scorer("p@1", qrels=Qrels.from_labels(y))(BordaCount().fit(lists), lists, y)


# ---------------------------------------------------------------------- a dict of matrices, without a constructor


def rank_with(method):
    return method.fit_transform


@pytest.mark.parametrize("kind", ["array", "frame", "integers", "lists"])
def test_calls_read_a_dict_of_matrices_like_from_scores(kind):
    rng = np.random.default_rng(3)
    scores = {name: rng.random((5, 3)) for name in ("lr", "rf")}
    if kind == "frame":
        scores = {name: pd.DataFrame(one, columns=["no", "maybe", "yes"]) for name, one in scores.items()}
    if kind == "lists":
        scores = {name: one.tolist() for name, one in scores.items()}
    if kind == "integers":
        scores = {name: rng.integers(9, size=(5, 3)) for name in scores}
    lists = RankedLists.from_scores(scores)
    for method in (CombSUM(norm=None), BordaCount(), CombSUM()):
        pd.testing.assert_frame_equal(method.fit_transform(scores), method.fit_transform(lists))
        pd.testing.assert_frame_equal(method.fit(scores).transform(scores), method.fit_transform(lists))
    labels = Qrels.from_labels(lists.items[[0, 1, 2, 0, 1]])
    fitted = Comparator([("sum", CombSUM(norm=None))], metrics="p@1", with_voters=True, verbose=False)
    found = fitted.fit(scores, qrels=labels).results_["p@1"]
    assert found.equals(fitted.fit(lists, qrels=labels).results_["p@1"])


@pytest.mark.parametrize("kind", [np.array, pd.DataFrame, list])
def test_from_runs_refuses_a_dict_of_matrices_and_names_from_scores(kind):
    with pytest.raises(
        InputTypeError, match=r"got a matrix of numbers for each voter\. Read them with .*from_scores\."
    ):
        RankedLists.from_runs({"lr": kind([[0.9, 0.1], [0.4, 0.6]])})


def test_vectors_of_numbers_are_not_read_as_lists_of_items():
    rows = np.array([[0.9, 0.1], [0.4, 0.6]])
    for call in (RankedLists.from_runs, rank_with(CombSUM())):
        with pytest.raises(
            InputError, match=r"query 0 of voter 'lr' has fractions such as .*from_scores, with a matrix"
        ):
            call({"lr": dict(enumerate(rows))})
        with pytest.raises(InputError, match=r"query 0 of voter 'lr' has fractions such as 0\.9\."):
            call({"lr": dict(enumerate(rows.tolist()))})
    for call in (RankedLists.from_lists, rank_with(CombSUM())):
        with pytest.raises(InputError, match=r"voter 'fold' has fractions such as .*Read scores with .*from_matrix"):
            call({"fold": rows[0]})
        with pytest.raises(InputError, match=r"has fractions such as 0\.9\. Read scores"):
            call({"fold": rows[0].tolist()})
    # Integers may be ids, also as floats. A pair contains an id and a score.
    assert RankedLists.from_lists({"v": [(1, 0.5), (2, 0.25)]}).to_runs() == {"v": {"q": {1: 0.5, 2: 0.25}}}
    assert RankedLists.from_lists({"v": [3.0, 1.0]}).items.tolist() == [1.0, 3.0]
    assert RankedLists.from_lists({"v": [3, 0.5]}).n_rows == 2  # of mixed types, so they may be ids
    assert RankedLists.from_lists({"v": np.array([3, 1])}).to_runs() == {"v": {"q": [3, 1]}}
    assert RankedLists.from_runs({"v": {"q": np.array([3.0, 1.0])}}).items.tolist() == [1.0, 3.0]


def test_frames_of_lists_are_not_read_as_matrices():
    frame = pd.DataFrame({"query": [1, 1], "item": [7, 8], "score": [0.5, 0.25]})
    assert BordaCount().fit_transform({"u": frame, "v": frame})["item"].tolist() == [7, 8]
