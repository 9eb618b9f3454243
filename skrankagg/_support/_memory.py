"""Memory limits; tasks that need more memory raise an error before they allocate it."""

import contextlib
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from numbers import Integral
from pathlib import Path, PurePosixPath

from ..exceptions import InputError, MemoryLimitError

try:
    import resource
except ImportError:  # Windows has no limit for the address space
    resource = None

_VARIABLE = "SKRANKAGG_MEMORY"
#: Share of the memory that may be used. The rest is for other processes, and for memory that an estimate does not
#: include.
_SHARE = 0.8
#: If the user set no limit, tasks that need at most this number of bytes are not checked. Reading the free memory of
#: the system would take as long as aggregating a few lists.
_SMALL = 50_000_000
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
# The limits in force; the limit of the innermost context is last. Each limit is in its own list, so that equal limits
# remain distinct. The limits apply to the whole process, because they must also apply in joblib's threads.
_limits: list[list[int]] = []


@contextlib.contextmanager
def config_context(*, memory_limit: int | str | None = None) -> Iterator[None]:
    """Limit the memory that the matrices of a query may use inside a ``with`` block, in all threads of the process.

    Methods whose memory grows with the square of the number of items refuse queries that exceed the limit. The default
    limit is 0.8 times the memory that the process can still use. This memory is bounded by the available memory of the
    machine, by the control group (cgroup) and by the address-space limit. The environment variable
    ``SKRANKAGG_MEMORY`` replaces the default. The variable also applies to worker processes, where the context has no
    effect. Results do not depend on the limit.

    Parameters
    ----------
    memory_limit : int or str, default=None
        Bytes, or a size such as "2GB" or "500MiB"; None keeps the limit that is in force.

    Yields
    ------
    None
        The limit applies inside the ``with`` block.

    Raises
    ------
    ValueError
        If the limit is not a positive size.

    See Also
    --------
    skrankagg.exceptions.MemoryLimitError : Raised if a query cannot fit.

    Examples
    --------
    >>> import skrankagg
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.exceptions import MemoryLimitError
    >>> lists = make_ranked_lists(n_queries=1, n_items=300, list_length=300,
    ...     random_state=0)[0]
    >>> with skrankagg.config_context(memory_limit="100kB"):
    ...     try:
    ...         skrankagg.Schulze().fit_transform(lists)
    ...     except MemoryLimitError as error:
    ...         print(str(error).partition(" and ")[0])
    Schulze() needs about ... MB for query 'q1' of 300 items
    """
    if memory_limit is None:
        yield
        return
    own = [_parse(memory_limit, "memory_limit")]
    _limits.append(own)
    try:
        yield
    finally:
        # With several threads, the context that began last may not be the first to end.
        _limits[:] = [limit for limit in _limits if limit is not own]


def available_memory() -> int:
    """Return the number of bytes that a query's matrices may use: the user's limit, or a share of the free memory."""
    limit = _limit_set()
    if limit is not None:
        return limit
    import psutil  # imported here, because only a large query needs this module

    return int(_SHARE * min(psutil.virtual_memory().available, left_by_groups(), _left_of_addresses()))


def check_memory(n_bytes: float, describe: Callable[[], tuple[str, str, str]]) -> None:
    """Raise MemoryLimitError if more bytes are needed than available.

    `describe` is called only if the error is raised. It returns three texts for the message: the method, its input, and
    advice.
    """
    limit = _limit_set()
    if limit is None:
        if n_bytes <= _SMALL:
            return
        limit = available_memory()
    if n_bytes > limit:
        who, what, advice = describe()
        raise MemoryLimitError(
            f"{who} needs about {format_bytes(n_bytes)} for {what}, and {format_bytes(limit)} are available; {advice}, "
            f"or set another limit with skrankagg.config_context(memory_limit=...) or the variable {_VARIABLE}."
        )


def check_matrix(function: str, n: int, bytes_per_pair: float) -> None:
    """Raise MemoryLimitError if an (n, n) matrix with `bytes_per_pair` bytes for each entry needs too much memory."""
    check_memory(bytes_per_pair * float(n) ** 2, lambda: (f"{function}()", f"{n} items", "leave some items out"))


def format_bytes(n_bytes: float) -> str:
    """Return a size as text such as "3.2 GB"; the unit is chosen so that the number is below 1000."""
    size = float(n_bytes)
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if size < 999.5 or unit == "PB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "B" or size >= 99.95 else f"{size:.1f} {unit}"


def _limit_set():
    """Return the memory limit set by the user, in bytes, or None if the user set no limit."""
    if _limits:
        return _limits[-1][0]
    text = os.environ.get(_VARIABLE)
    return _parse(text, _VARIABLE) if text else None


def _parse(size, name):
    n_bytes = size
    if isinstance(size, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?\s*", size.lower())
        n_bytes = int(float(match[1]) * _UNITS[match[2]]) if match and match[2] in _UNITS else 0
    if isinstance(size, bool) or not isinstance(n_bytes, Integral) or n_bytes <= 0:
        raise InputError(f"`{name}` must be a number of bytes above 0 or a size such as '2GB'; got {size!r}.")
    return int(n_bytes)


def _left_of_addresses():
    """Return the number of bytes that the process may still allocate under its address-space limit."""
    # macOS does not enforce this limit, and counts far more addresses than the process uses.
    if resource is None or sys.platform == "darwin":
        return math.inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return math.inf
    import psutil

    return max(limit - psutil.Process().memory_info().vms, 0)


def left_by_groups(groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> float:
    """Return the number of bytes that the process may still allocate within its control groups and their ancestors.

    Returns infinity if there are no groups. Each line of the file `groups` has the form "number:controllers:path". In
    version 2 of control groups, the number is 0 and there are no controllers. In version 1, one line names the
    controller "memory". A container may mount its own group as the root. The folder at the path then does not exist, so
    missing folders are skipped.
    """
    left = math.inf
    with contextlib.suppress(OSError):  # other systems have no control groups
        for line in groups.read_text().splitlines():
            number, controllers, path = line.split(":", 2)
            if number == "0" and not controllers:
                mounts, names = (root, root / "unified"), ("memory.max", "memory.current", "inactive_file")
            elif "memory" in controllers.split(","):
                mounts = (root / "memory",)
                names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            else:
                continue
            inner = [part for part in PurePosixPath(path).parts if part not in ("/", "..")]
            for mount in mounts:
                for depth in range(len(inner) + 1):
                    left = min(left, _left_by_group(mount.joinpath(*inner[:depth]), *names))
    return left


def _left_by_group(folder, limit, used, cached):
    left = math.inf
    with contextlib.suppress(OSError, ValueError):  # there is no such group or file, or the limit is the word "max"
        left = int((folder / limit).read_text()) - int((folder / used).read_text())
        # Memory for cached files counts as used, although it is freed when it is needed.
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        left += int(stat.get(cached, 0))
    return max(left, 0)
