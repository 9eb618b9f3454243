"""Public names that are imported on first use."""

import ast
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any


def attach_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a package, and its list ``__all__``.

    The stub ``__init__.pyi`` beside `file` contains the imports of the public names. ``__getattr__`` runs the import of
    a name when the name is first used, so importing the package loads none of its modules.
    """
    # Importing pathlib would take as long as all the rest of an import of the package.
    with open(f"{os.path.splitext(file)[0]}.pyi", encoding="utf-8") as stub:
        imports = [line for line in ast.parse(stub.read()).body if isinstance(line, ast.ImportFrom)]
    modules = {alias.name: line.module for line in imports for alias in line.names}

    def load(name: str) -> Any:
        if name not in modules:
            # With `name` and `obj`, a traceback suggests a similar name.
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        if modules[name] is None:
            value = importlib.import_module(f"{package}.{name}")
        else:
            value = getattr(importlib.import_module(f"{package}.{modules[name]}"), name)
        # The next use of the name finds the value in the package, without this function.
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(modules), sorted(modules)
