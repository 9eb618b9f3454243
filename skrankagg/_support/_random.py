"""Seeds of random numbers."""

from functools import lru_cache

from sklearn.utils import check_random_state


def draw_seed(random_state):
    """Draw an integer from 0 to 2^31 - 2; for an int, the first number of a generator with this seed."""
    if type(random_state) is int:
        return _first_number(random_state)
    return check_random_state(random_state).randint(2**31 - 1)


# A new generator takes longer than all other steps on a small query.
@lru_cache(maxsize=64)
def _first_number(seed):
    return check_random_state(seed).randint(2**31 - 1)
