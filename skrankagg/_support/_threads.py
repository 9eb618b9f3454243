"""Limit on the number of threads of the linear algebra libraries."""

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@cache
def _controller():
    # Searching the loaded libraries takes a millisecond, so the result is cached.
    return ThreadpoolController()


def one_blas_thread(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Decorate a function so that it uses one BLAS thread, because threads make many small matrix products slower."""

    @wraps(function)
    def limited(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
