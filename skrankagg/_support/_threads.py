"""How many threads the linear algebra libraries may use."""

from functools import cache, wraps

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


@cache
def _controller():
    # Looking for the libraries takes a millisecond, so it is done once, when they are loaded.
    return ThreadpoolController()


def one_blas_thread(function):
    """Decorate a function of many small matrix products: there threads would wait for each other."""

    @wraps(function)
    def limited(*args, **kwargs):
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
