"""Version information for bug reports."""

import importlib.metadata
import platform
import sys

from .. import _kernels

_PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "threadpoolctl",
    "joblib",
    "lazy_loader",
    "narwhals",
    "librt",
    "mypy_extensions",
    "psutil",
    "matplotlib",
    "polars",
    "pyarrow",
)


def show_versions() -> None:
    """Print the versions of skrankagg, Python and the required packages, and whether the kernels are compiled.

    See Also
    --------
    sklearn.show_versions : Prints more about scikit-learn, its libraries and its threads.

    Examples
    --------
    >>> import skrankagg
    >>> skrankagg.show_versions()
    skrankagg: ...
    kernels: ...
    python: ...
    """
    stale = _kernels.stale_kernels()
    kernels = "compiled" if _kernels.COMPILED else "interpreted, slower by far"
    if stale:
        kernels += f", older than their source: {', '.join(stale)}"
    rows = {
        "skrankagg": version_of("skrankagg"),
        "kernels": kernels,
        "python": sys.version.replace("\n", " "),
        "machine": platform.platform(),
        **{name: version_of(name) for name in _PACKAGES},
    }
    print("\n".join(f"{name}: {value}" for name, value in rows.items()))


def version_of(name):
    """Return the version of an installed distribution."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
