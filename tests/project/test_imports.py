"""Modules available after importing the package."""

import importlib
import json
import subprocess
import sys

import pytest
from processes import environment

from public_api import MODULES
from skrankagg import _kernels


@pytest.mark.parametrize("module", [module for module in MODULES if "." in module])
def test_packages_export_their_public_modules(module):
    package, name = module.rsplit(".", 1)
    assert name in importlib.import_module(package).__all__


def test_import_loads_no_large_library_and_gives_all_public_modules():
    names = [f"{module}.__name__" for module in sorted(MODULES, reverse=True)]
    code = f"import json, sys, skrankagg; print(json.dumps([sorted(sys.modules), [{', '.join(names)}]]))"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    loaded, found = json.loads(done.stdout)
    assert "skrankagg" in loaded and not set(loaded) & {"numpy", "pandas", "scipy", "sklearn", "matplotlib"}
    assert found == sorted(MODULES, reverse=True)


@pytest.mark.skipif(not _kernels.COMPILED, reason="fuse calls NumPy if the kernels run as plain Python")
def test_fuse_of_usual_lists_by_name_loads_no_large_library():
    code = """
import json, pickle, sys
from skrankagg import fuse
lists = {"bm25": [("d1", 9.1), ("d2", 7.5), ("d3", 1.1)], "dense": {"d2": 0.8, "d3": 0.7, "d4": 0.1}}
many = [list(range(1000)), list(range(500, 2000))]
for method in (None, "rrf", "combsum", "CombMNZ", "borda_count"):
    fuse(lists, method, weights={"bm25": 1, "dense": 0.5}, top=2, explain=True)
    assert method in ("combsum", "CombMNZ") or len(fuse(many, method)) == 2000
assert pickle.loads(pickle.dumps(fuse)) is fuse
print(json.dumps(sorted(sys.modules)))
"""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    assert not set(json.loads(done.stdout)) & {"numpy", "pandas", "scipy", "sklearn", "matplotlib"}
