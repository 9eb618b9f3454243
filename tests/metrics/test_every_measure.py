"""Checks of every measure: its golden line, its expectation over ties, and its place in the registry.

They find measures by themselves. A new measure needs a line in `golden_measures.py` and nothing here.
"""

import inspect
import itertools
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import skrankagg.metrics
from golden_measures import MEASURES as GOLDEN
from skrankagg.exceptions import InputError
from skrankagg.metrics import evaluate, get_measure, measure_names
from skrankagg.metrics._relevance._measure import MEASURES

pytestmark = pytest.mark.twice

NAMES = [name.replace("@k", "@2").replace("@r", "@0.4").replace("@z1,z2,...", "@1,3") for name in measure_names()]
every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
CASES = st.tuples(
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
    st.lists(st.sampled_from([None, -1, 0, 0, 1, 2, 3]), min_size=7, max_size=7),
)


def value(run, grades, name, **conventions):
    return evaluate([run], [grades], name, **conventions).iloc[0, 0]


@pytest.mark.parametrize(("name", "ranking", "grades", "expected"), GOLDEN, ids=lambda part: part)
def test_measure_has_its_golden_value(name, ranking, grades, expected):
    assert value(ranking.split(), grades, name) == pytest.approx(expected, rel=1e-12)


def test_every_measure_has_a_golden_line():
    assert {get_measure(name).name for name, *_ in GOLDEN} == {*MEASURES}


@every_measure
def test_measure_function_documents_its_parameters(measure):
    function = getattr(skrankagg.metrics, measure.function.__name__)
    assert measure.function is function
    documented = re.findall(r"^(\w+) : ", inspect.getdoc(function).partition("Returns\n")[0], flags=re.MULTILINE)
    parameters = inspect.signature(function).parameters
    assert documented == list(parameters) and documented[:2] == ["run", "qrels"]


@every_measure
def test_measure_function_equals_evaluate(measure):
    run, grades = [["a", "x", "b"], ["c", "d"], ["e"]], [{"a": 1, "b": 2}, {"d": 1, "f": 3}, {"g": 1}]
    name = next(name for name in NAMES if get_measure(name).name == measure.name)
    cutoff = {} if (k := get_measure(name).k) is None else {"k": k}
    expected = evaluate(run, grades, name, per_query=True).iloc[:, 0]
    assert measure.function(run, grades, **cutoff, per_query=True).tolist() == expected.tolist()
    assert measure.function(run, grades, **cutoff) == evaluate(run, grades, name).iloc[0, 0]


@every_measure
def test_measure_function_rejects_arguments_that_it_does_not_have(measure):
    start = f"{measure.function.__name__}() "
    with pytest.raises(TypeError, match=re.escape(start + "got an unexpected keyword argument 'gian'")):
        measure.function(["a"], ["a"], **({} if measure.cutoff == "none" else {"k": 1}), gian=1)
    if measure.cutoff == "required":
        with pytest.raises(TypeError, match=re.escape(start + "missing a required argument: 'k'")):
            measure.function(["a"], ["a"])
    if measure.cutoff != "none":
        with pytest.raises(InputError, match=r"The cutoff of .* must be a"):
            measure.function(["a"], ["a"], k=True)


@pytest.mark.parametrize("name", NAMES)
@given(case=CASES)
@example(case=([1, 1, 1, 0], [2, 0, None, 1, 0, 3, 0]))  # a tie across the cutoff
@settings(max_examples=30, deadline=None)
def test_ties_expected_is_the_mean_over_all_orders(name, case):
    places, judged = case
    scores = {item: float(score) for item, score in zip("fbeac", places, strict=False)}
    grades = {item: grade for item, grade in zip("fbeacxy", judged, strict=True) if grade is not None}
    if not get_measure(name).has_expectation:
        with pytest.raises(InputError, match=r"The expectation of .* over ties has no closed form"):
            value(scores, grades, name, ties="expected")
        return
    groups = [list(group) for _, group in itertools.groupby(sorted(scores, key=lambda i: -scores[i]), scores.get)]
    orders = itertools.product(*map(itertools.permutations, groups))
    found = [value(list(itertools.chain(*order)), grades, name) for order in orders]
    # The geometric mean of one query is at least 1e-5, the mean over orders need not be.
    mean = max(np.mean(found), 1e-5) if get_measure(name).summary == "gmean" else np.mean(found)
    message = f"{name} has no expectation over ties: declare has_expectation=False, or use ranked.rate and ranked.total"
    assert value(scores, grades, name, ties="expected") == pytest.approx(mean, rel=1e-12, abs=1e-14), message
