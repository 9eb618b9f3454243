"""Versions, processors and memory of the machine on which the performance page is measured."""

import importlib.metadata
import os
import platform

from _measure import table

from skrankagg import _kernels

PACKAGES = (
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "scikit-learn",
    "pyflagr",
    "ranx",
    "numba",
    "rankops",
    "pytrec-eval-terrier",
    "evalica",
    "choix",
)


def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def processor():
    """Return the model of the processor, or its architecture if the system does not report the model."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    rows = [["Python", platform.python_version()], ["kernels", "compiled" if _kernels.COMPILED else "plain Python"]]
    rows += [[name, version(name)] for name in PACKAGES]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rows += [["processor", processor()], ["processors", os.cpu_count()], ["memory GiB", f"{memory:.0f}"]]
    table(rows, ["what", "version"])


if __name__ == "__main__":
    main()
