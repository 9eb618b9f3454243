"""Outcomes of scikit-learn's check_estimator, as the page on samples and queries states them."""

import re
import warnings
from pathlib import Path

import pytest
from learners import PositionGrades
from sklearn.exceptions import SkipTestWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.estimator_checks import check_estimator

from skrankagg import DIBRA, BordaCount, CombSUM, Kemeny, PlackettLuce, ReciprocalRankFusion
from skrankagg.exceptions import InputTypeError
from skrankagg.preprocessing import ScoreNormalizer, TopK, VoterWeighter
from skrankagg.utils._checks._scikit_learn import SKLEARN_CHECKS
from skrankagg.utils.estimator_checks import EXEMPTIONS, example_lists, example_qrels

PAGE = Path(__file__).resolve().parents[2] / "docs" / "samples_are_queries.md"
ESTIMATORS = [
    *(BordaCount(), CombSUM(), ReciprocalRankFusion(), Kemeny(), DIBRA(), PlackettLuce()),
    *(TopK(3), ScoreNormalizer(), VoterWeighter({"v": 2.0}), PositionGrades(qrels=example_qrels(example_lists(0)))),
]
#: Names of a check for estimators that need no fit, and for all others.
SAME = {"check_transformers_unfitted_stateless": "check_transformers_unfitted"}
#: Checks that are not run, but that an estimator may pass.
MAY_PASS = {"check_estimator_sparse_tag", "check_estimators_unfitted", "check_transformer_n_iter"}
#: scikit-learn runs this check on its own estimators; check_estimator does not run it.
NOT_GENERATED = {"check_param_validation"}


def rows_of_page():
    part = re.search("<!-- checks of scikit-learn -->\\n(.*?)<!-- end", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", part, re.MULTILINE))


def outcomes(estimator):
    """Run scikit-learn's checks on an estimator that claims to accept matrices; return a list of (name, result)."""

    class Pretending(type(estimator)):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.two_d_array = True
            return tags

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(Pretending(**estimator.get_params(deep=False)), on_fail=None, on_skip=None)
    return [(SAME.get(one["check_name"], one["check_name"]), one) for one in results]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_check_estimator_has_the_outcomes_of_the_page(estimator):
    page = rows_of_page()
    assert page == {**dict.fromkeys(SKLEARN_CHECKS, "passes"), **dict.fromkeys(EXEMPTIONS, "not applicable")}
    seen = set()
    for name, result in outcomes(estimator):
        assert name in page, f"add {name} to EXEMPTIONS, with the reason"
        if page[name] == "passes":
            assert result["status"] == "passed", (name, result["exception"])
            seen.add(name)
        elif result["status"] == "passed":
            assert name in MAY_PASS, f"{name} applies to {estimator!r}"
        elif result["status"] == "failed":
            assert refuses_the_matrix(result["exception"]), (name, result["exception"])
    assert seen == set(SKLEARN_CHECKS) - NOT_GENERATED


def refuses_the_matrix(error):
    """Return True if an error or one of its causes is raised because the input is not a frame of lists."""
    while error is not None:
        if isinstance(error, InputTypeError) or "must be a data frame" in str(error):
            return True
        # Some checks expect an error about features, sparse input or missing values, and report another message.
        if isinstance(error, AssertionError) and re.search(
            "sparse data|empty data|NaN and inf|unexpectedly|fail gracefully|did not raise|does not raise", str(error)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def test_check_estimator_runs_one_check_of_estimators_without_matrices():
    for estimator in (BordaCount(), TopK(3), CountVectorizer()):
        with pytest.warns(SkipTestWarning, match=f"Can't test estimator {type(estimator).__name__} which requires"):
            results = check_estimator(estimator)
        assert [(one["check_name"], one["status"]) for one in results] == [("check_estimator_cloneable", "passed")]
