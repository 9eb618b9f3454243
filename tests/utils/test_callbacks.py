"""scikit-learn's callbacks receive the tasks of a fit, if this version of scikit-learn has callbacks."""

import pickle

import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from skrankagg import DIBRA, CombSUM, Comparator, Kemeny, LearnedWeights, RankedLists
from skrankagg._support._callbacks import Task, fit_task
from skrankagg.preprocessing import TopK
from skrankagg.utils.discovery import all_aggregators
from skrankagg.utils.estimator_checks import example_lists, example_qrels

needs_callbacks = pytest.mark.skipif(not hasattr(CombSUM, "set_callbacks"), reason="scikit-learn has no callbacks")


class Log:
    """A callback that records its calls and requests a stop after a given task."""

    max_propagation_depth = None

    def __init__(self, stop_after=None):
        self.events, self.stop_after = [], stop_after

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"+{context.estimator_name} {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.events.append(f"-{context.estimator_name} {context.task_name}")
        return context.task_name == self.stop_after


def recorded_events(estimator, X, **options):
    log = Log(**options)
    estimator.set_callbacks(log).fit(X)
    assert not {"_in_fit", "_callback_fit_ctx"} & vars(estimator).keys()
    first, *events, last = log.events
    assert (first, last) == ("setup", "teardown")
    return events


@pytest.fixture
def lists():
    return RankedLists.from_frame(example_lists(n_queries=3))


def test_fit_task_is_inert_without_callbacks():
    task = fit_task(CombSUM(), 3)
    assert isinstance(task, Task) and task.context is None
    with task.part("a", 2) as part, part.part("b"), part.propagate(CombSUM()):
        assert not part.stop


@pytest.mark.sampled(17)
@needs_callbacks
@pytest.mark.parametrize("name", all_aggregators())
def test_fit_reports_its_begin_and_end_to_callbacks(name):
    X = example_lists(n_queries=3)
    method = all_aggregators()[name]()
    events = recorded_events(method.set_params(qrels=example_qrels(X)) if "qrels" in method.get_params() else method, X)
    assert (events[0], events[-1]) == (f"+{name} fit", f"-{name} fit")


@pytest.mark.exhaustive
@needs_callbacks
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_kemeny_reports_each_query_to_callbacks(lists, n_jobs):
    parts = [f"{sign}Kemeny query 'q{q}'" for q in range(3) for sign in "+-"]
    assert recorded_events(Kemeny(n_jobs=n_jobs), lists) == ["+Kemeny fit", *parts, "-Kemeny fit"]


@needs_callbacks
def test_dibra_reports_iterations_and_stops_when_a_callback_requests_it(lists):
    method = DIBRA(tol=1e-9, max_iter=6)
    events = recorded_events(method, lists)
    assert events[:4] == ["+DIBRA fit", "+DIBRA all queries", "+DIBRA iteration 1", "-DIBRA iteration 1"]
    assert "-DIBRA iteration 4" in events
    assert "+DIBRA iteration 3" not in recorded_events(method, lists, stop_after="iteration 2")
    stopped, two = method.query_voter_weights_, DIBRA(tol=1e-9, max_iter=2).fit(lists).query_voter_weights_
    assert stopped.equals(two)


@needs_callbacks
def test_transform_does_not_call_callbacks(lists):
    method = Kemeny().set_callbacks(log := Log())
    method.transform(lists)
    assert log.events == []
    method.fit_transform(lists)
    assert log.events.count("+Kemeny fit") == 1


@needs_callbacks
def test_comparator_members_report_to_its_callbacks(lists):
    qrels = example_qrels(lists.to_frame())
    members = [("sum", CombSUM()), ("kemeny", Kemeny()), ("learned", LearnedWeights())]
    events = recorded_events(Comparator(members, qrels=qrels, cv=3, verbose=False), lists)
    assert events[:3] == ["+Comparator fit", "+CombSUM fit", "-CombSUM fit"]
    assert "+Kemeny query 'q1'" in events and "-Comparator learned" in events and events[-1] == "-Comparator fit"


@needs_callbacks
def test_pipeline_steps_report_to_its_callbacks(lists):
    events = recorded_events(make_pipeline(TopK(3), CombSUM()), lists)
    assert events == ["+Pipeline fit", "+TopK fit", "-TopK fit", "+CombSUM fit", "-CombSUM fit", "-Pipeline fit"]


@needs_callbacks
def test_callbacks_are_torn_down_when_fit_fails(lists):
    method = Kemeny().set_callbacks(log := Log())
    before = dict(vars(method))

    class Stop(Exception):
        pass

    def fail(*_):
        raise Stop

    method._solve = fail
    with pytest.raises(Stop):
        method.fit(lists)
    assert log.events == ["setup", "+Kemeny fit", "teardown"]
    del method._solve
    assert vars(method) == before


@needs_callbacks
def test_callbacks_receive_fitted_attributes_and_the_lists(lists):
    class Attributes(Log):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator, X):
            self.weights = getattr(fitted_estimator, "voter_weights_", None)
            self.X = X

    method = DIBRA().set_callbacks(log := Attributes())
    method.fit(lists)
    assert log.weights.equals(method.voter_weights_) and log.X is lists


@needs_callbacks
def test_estimators_with_callbacks_can_be_pickled_and_cloned(lists):
    method = DIBRA().set_callbacks(Log()).fit(lists)
    assert pickle.loads(pickle.dumps(method)).voter_weights_.equals(method.voter_weights_)
    assert clone(method).fit(lists).voter_weights_.equals(method.voter_weights_)
