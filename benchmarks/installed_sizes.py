"""Print the disk space that skrankagg and each package that it needs take in this environment.

    python3 -m venv fresh && fresh/bin/pip install . && fresh/bin/python benchmarks/installed_sizes.py

A size is the sum over the files that pip has recorded for the package, including compiled bytecode, in millions of
bytes. The column "needed by" names the packages of this list that require the package.
"""

import re
from importlib.metadata import distribution


def name_of(requirement):
    """Return the normalised name of the package in a requirement such as ``numpy>=2.0; python_version < "3.14"``."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def needed(name):
    """Return the packages that a package needs here, without its extras."""
    requirements = [line for line in distribution(name).requires or [] if "extra ==" not in line]
    return {name_of(line) for line in requirements if is_installed(name_of(line))}


def is_installed(name):
    """Return True if a package is installed; a package for another platform is not."""
    try:
        return bool(distribution(name))
    except ModuleNotFoundError:
        return False


def megabytes(name):
    """Return the size of a package in millions of bytes."""
    paths = [file.locate() for file in distribution(name).files]
    return sum(path.stat().st_size for path in paths if path.exists()) / 1e6


def main():
    """Print a row for each package, the largest first, and the sum."""
    found, queue = {}, ["skrankagg"]
    while queue:
        name = queue.pop()
        if name not in found:
            found[name] = needed(name)
            queue += found[name]
    sizes = {name: megabytes(name) for name in found}
    print(f"{'':16}{'version':>9}{'MB':>8}  needed by")
    for name in sorted(sizes, key=lambda name: (name != "skrankagg", -sizes[name])):
        users = ", ".join(sorted(user for user in found if name in found[user]))
        print(f"{name:16}{distribution(name).version:>9}{sizes[name]:8.1f}  {users}".rstrip())
    print(f"{'sum':16}{'':9}{sum(sizes.values()):8.1f}")


if __name__ == "__main__":
    main()
