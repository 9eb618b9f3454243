"""Seeds for generators of random numbers."""

from functools import lru_cache

from sklearn.utils import check_random_state


def draw_seed(random_state):
    """Draw a seed from 0 to 2^31 - 2; if `random_state` is an int, the result is the same in each call."""
    if type(random_state) is int:
        return _first_number(random_state)
    return check_random_state(random_state).randint(2**31 - 1)


# The results are cached, because creating a generator takes longer than all other steps on a small query.
@lru_cache(maxsize=64)
def _first_number(seed):
    return check_random_state(seed).randint(2**31 - 1)
