"""Modules available after importing the package."""

import importlib
import json
import subprocess
import sys

import pytest
from processes import environment

from public_api import MODULES


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
