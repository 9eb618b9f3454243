"""The kernels as plain Python, with librt's vectors and without librt, as on platforms without its binaries."""

import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mypy_extensions import i64

import skrankagg
from golden import lists
from skrankagg._kernels import plain_vectors
from skrankagg.utils.discovery import all_aggregators

pytestmark = pytest.mark.twice

SCRIPT = """
import pickle, sys
if sys.argv[1] == "missing":
    sys.modules["librt"] = None
import skrankagg
from skrankagg import _kernels
from skrankagg.utils.discovery import all_aggregators
assert not _kernels.COMPILED
assert ("plain_vectors" in _kernels.loading.vec.__module__) == (sys.argv[1] == "missing")
assert sys.argv[1] != "missing" or (sys.modules["librt"] is None and "librt.vecs" not in sys.modules)
lists, names = pickle.load(open(sys.argv[2], "rb"))
found = {name: all_aggregators()[name]().fit_transform(lists) for name in names}
pickle.dump(found, open(sys.argv[2], "wb"))
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("librt", ["missing", "installed"])
def test_aggregators_are_the_same_with_interpreted_kernels(tmp_path, librt):
    if librt == "installed":
        pytest.importorskip("librt.vecs", reason="librt is not installed")
    package = Path(skrankagg.__file__).parent
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "_compiled.json", "__pycache__")
    shutil.copytree(package, tmp_path / "skrankagg", ignore=compiled)
    names = [name for name, method in all_aggregators().items() if not hasattr(method(), "qrels")]
    (tmp_path / "data.pkl").write_bytes(pickle.dumps((lists(), names)))
    command = [sys.executable, "-c", SCRIPT, librt, str(tmp_path / "data.pkl")]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path)
    found = pickle.loads((tmp_path / "data.pkl").read_bytes())
    assert len(found) > 20
    for name, consensus in found.items():
        pd.testing.assert_frame_equal(consensus, all_aggregators()[name]().fit_transform(lists()), check_exact=True)


def vectors():
    yield plain_vectors.vec
    if importlib.util.find_spec("librt"):
        yield importlib.import_module("librt.vecs").vec


@pytest.mark.parametrize("vec", list(vectors()))
def test_vec_converts_and_checks_its_items(vec):
    for values in ([3, 1, 2], np.array([3, 1, 2]), np.arange(3, 0, -1)[[0, 2, 1]], range(3)):
        assert np.asarray(vec[i64](values)).dtype == np.int64
        assert list(vec[i64](values)) == list(values)
    assert np.asarray(vec[float](np.array([0.1, 1e300]))).tolist() == [0.1, 1e300]
    assert np.asarray(vec[float]()).dtype == np.float64 and np.asarray(vec[i64]()).dtype == np.int64
    with pytest.raises(TypeError):
        vec[i64]([1.5])
    with pytest.raises(OverflowError):
        vec[i64]([2**63])
    with pytest.raises(IndexError):
        vec[float]([1.0])[1]


def test_append_adds_a_value():
    vector = plain_vectors.append(plain_vectors.vec[i64]([1]), 2)
    assert list(vector) == [1, 2]


def test_vectors_stand_in_for_librt_only_inside_the_context(monkeypatch):
    for name in ("librt", "librt.vecs"):
        monkeypatch.setitem(sys.modules, name, None)  # as if librt were not installed
    with plain_vectors.vectors():
        assert importlib.import_module("librt.vecs").vec is plain_vectors.vec
    assert sys.modules["librt"] is None and sys.modules["librt.vecs"] is None
    for name in ("librt", "librt.vecs"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(importlib, "import_module", raise_import_error)
    with plain_vectors.vectors():
        assert sys.modules["librt.vecs"] is plain_vectors
    assert "librt" not in sys.modules and "librt.vecs" not in sys.modules


def raise_import_error(name):
    raise ImportError(name)
