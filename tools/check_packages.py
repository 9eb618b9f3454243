"""Check the contents of the built wheel and sdist; run it as a script with their folder as argument."""

import re
import sys
import tarfile
import zipfile
from pathlib import Path


def check_wheel(path):
    """Raise an error if a wheel contains tests, build tools, or modules besides the package and its kernels."""
    names = zipfile.ZipFile(path).namelist()
    version = path.name.split("-")[1]
    top = {name.split("/")[0] for name in names}
    stray = {
        name
        for name in top
        if name not in {"skrankagg", f"skrankagg-{version}.dist-info"} and not re.match(r"skrankagg__mypyc\.", name)
    }
    assert not stray, f"{path.name} has stray top-level names: {stray}"
    unwanted = [name for name in names if Path(name).name.startswith("test_") or "hatch_build" in name]
    assert not unwanted, f"the wheel must not contain tests or the build hook: {unwanted}"
    compiled = [name for name in names if name.endswith((".so", ".pyd"))]
    if "none-any" in path.name:
        assert not compiled, "a pure wheel must not contain extension modules"
    else:
        assert "skrankagg/_kernels/_compiled.json" in names, "a compiled wheel must record its sources"
        kernels = {name for name in names if re.match(r"skrankagg/_kernels/_[a-z]\w*\.py$", name)}
        assert len(compiled) == len(kernels) + 1, f"each kernel must be compiled, with one common library: {compiled}"
    assert "skrankagg/py.typed" in names, "type checkers need this file to read the types of a package"
    assert any(name.endswith("licenses/LICENSE") for name in names), "the wheel must include the licence"


def check_sdist(path):
    """Raise an error if an sdist lacks files that are needed to build and test it."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CITATION.cff",
        "docs/conf.py",
        "notebooks/01_quick_start.ipynb",
        "hatch_build.py",
        "skrankagg/py.typed",
        "conftest.py",
        "tests/conftest.py",
    }
    assert wanted <= names, f"{path.name} lacks {wanted - names}"
    assert not [name for name in names if name.endswith((".so", "_compiled.json"))], "only sources belong here"
    built = [name for name in names if re.match(r"docs/(_build|api|notebooks|jupyter_execute)/", name)]
    assert not built, f"{path.name} contains files from a build of the documentation: {built}"
    assert path.stat().st_size < 4e6, f"{path.name} is larger than all sources: {path.stat().st_size} bytes"


def main(folder):
    """Check the wheel and the sdist in a folder, which must contain one of each."""
    (wheel,), (sdist,) = Path(folder).glob("*.whl"), Path(folder).glob("*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    print(f"{wheel.name} and {sdist.name} contain the right files")


if __name__ == "__main__":
    main(*sys.argv[1:])
