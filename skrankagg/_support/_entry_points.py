"""Entry points, by which other packages register their aggregators."""

from importlib.metadata import EntryPoint, entry_points

#: Other packages register their aggregators in this group of entry points.
AGGREGATORS = "skrankagg.aggregators"


def find_entry_points() -> list[EntryPoint]:
    """Return the entry points of aggregators, sorted by name and package; no package is imported."""
    return sorted(entry_points(group=AGGREGATORS), key=lambda one: (one.name, package_of(one)))


def package_of(entry_point: EntryPoint) -> str:
    """Return the name and version of the package that registers an entry point."""
    package = entry_point.dist
    return f"{package.name} {package.version}" if package else "an unnamed package"
