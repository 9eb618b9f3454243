"""Hypothesis settings: the same few examples in every run; other or more examples with options of pytest."""

import functools
import time

import pytest
from hypothesis import Phase, settings
from hypothesis.errors import UnsatisfiedAssumption

from skrankagg._kernels import COMPILED

# Whether the suite passes does not depend on the draw.
settings.register_profile("fixed", settings.get_profile("ci"))
settings.register_profile("random", settings.get_profile("ci"), derandomize=False)
# To detect failing properties without shrinking examples, for tools/mutate.py.
settings.register_profile("unshrunk", settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("fixed")

# A property draws its number of examples, divided by this, but at least a few. Plain Python takes longer.
_FEWEST, _DIVISOR = 5, 3 if COMPILED else 9


def pytest_addoption(parser):
    group = parser.getgroup("examples of properties")
    group.addoption("--examples", type=int, help="run the properties alone, each with up to this many examples")
    group.addoption("--seconds", type=float, default=float("inf"), help="with --examples: end each after this time")


def is_property(item):
    """Return whether hypothesis draws the arguments of a test."""
    return getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


def keep_properties(config, items):
    """With --examples, deselect tests that are not properties and set examples and seconds of the others.

    Without a profile a property draws a third of its examples: they are the same in every run. It draws a ninth if the
    kernels are plain Python.
    """
    number = config.getoption("examples", None)
    properties = [item for item in items if is_property(item)]
    if number is None:
        if config.getoption("--hypothesis-profile") is None:
            for test in {item.obj for item in properties}:
                _take_examples(test, max(_FEWEST, test._hypothesis_internal_use_settings.max_examples // _DIVISOR))
        return
    config.hook.pytest_deselected(items=[item for item in items if not is_property(item)])
    items[:] = properties
    for test in {item.obj for item in properties}:
        _take_examples(test, number)
        test.hypothesis.inner_test = _bounded(test.hypothesis.inner_test, config.getoption("seconds"))


def _take_examples(test, number):
    # The number in a test's own settings comes before that of a profile, so a profile alone cannot change it.
    test._hypothesis_internal_use_settings = settings(test._hypothesis_internal_use_settings, max_examples=number)


def pytest_runtest_setup(item):
    if is_property(item) and hasattr(item.obj.hypothesis.inner_test, "begin"):
        item.obj.hypothesis.inner_test.begin()


def _bounded(test, seconds):
    """Skip the rest of a property's examples when its time is over, unless one of them has failed."""
    run = {}

    def begin():
        run.update(n=0, failed=False, start=time.perf_counter())

    @functools.wraps(test)
    def bounded(*args, **kwargs):
        try:
            result = test(*args, **kwargs)
        except UnsatisfiedAssumption:
            raise
        except Exception:
            run["failed"] = True
            raise
        run["n"] += 1
        # Skip after the example: hypothesis reports a test that stops before drawing its data as faulty.
        if time.perf_counter() - run["start"] > seconds and not run["failed"]:
            pytest.skip(f"{run['n']} examples passed in {seconds:g} seconds")
        return result

    bounded.begin = begin
    return bounded
