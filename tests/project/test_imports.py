"""What one import of the package brings."""

import importlib
import json
import subprocess
import sys

import pytest
from processes import environment

from public_api import MODULES


def printed(code):
    command = [sys.executable, "-W", "error", "-c", f"import json, sys, skrankagg; {code}"]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("module", [module for module in MODULES if "." in module])
def test_a_package_exports_its_public_modules(module):
    package, name = module.rsplit(".", 1)
    assert name in importlib.import_module(package).__all__


def test_public_modules_are_attributes_in_a_fresh_process():
    names = [f"{module}.__name__" for module in sorted(MODULES, reverse=True)]
    assert printed(f"print(json.dumps([{', '.join(names)}]))") == sorted(MODULES, reverse=True)


def test_the_import_alone_loads_no_large_library():
    loaded = set(printed("print(json.dumps(sorted(sys.modules)))"))
    assert not loaded & {"numpy", "pandas", "scipy", "sklearn", "matplotlib"}
