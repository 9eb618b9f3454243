"""Build hook: compile the kernels with mypyc, or install them as plain Python.

``SKRANKAGG_MYPYC`` sets the mode. ``auto`` (default) compiles and falls back to pure Python if that fails, for example
without a C compiler. ``require`` makes the failure an error. ``off`` does not compile, and removes the results of an
earlier build.
"""

import hashlib
import json
import os
import tempfile
from pathlib import Path

from hatch_mypyc.plugin import MypycBuildHook
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

MODES = ("auto", "require", "off")
RECORD = "skrankagg/_kernels/_compiled.json"


class OptionalMypyc(MypycBuildHook):
    """A variant of hatch-mypyc's hook that may fail, and that records the compiled sources."""

    def initialize(self, version, build_data):
        mode = os.environ.get("SKRANKAGG_MYPYC", "auto")
        if mode not in MODES:
            raise ValueError(f"`SKRANKAGG_MYPYC` must be one of {', '.join(MODES)}; got {mode!r}.")
        if self.target_name != "wheel":
            return
        self.clean([version])
        if mode == "off":
            return
        try:
            _try_compiler()
            super().initialize(version, build_data)
        except Exception as error:
            if mode == "require":
                raise
            self.clean([version])
            self.app.display_warning(
                f"The kernels were not compiled, so skrankagg runs them as much slower plain Python: {error}"
            )
            return
        self._write_record()
        build_data["artifacts"].append(f"/{RECORD}")

    def clean(self, versions):
        super().clean(versions)
        Path(self.root, RECORD).unlink(missing_ok=True)

    def _write_record(self):
        # An import compares these digests with the sources next to the compiled modules. An edited source is noticed
        # even if the installer changed the files' times.
        digests = {
            Path(name).stem: hashlib.sha256(Path(self.root, name).read_bytes()).hexdigest()
            for name in sorted(self.normalized_included_files)
        }
        Path(self.root, RECORD).write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def _try_compiler():
    """Build an empty extension, because mypyc notices a missing compiler or Python.h only after all its own work."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("#include <Python.h>\nPyMODINIT_FUNC PyInit_probe(void) { return NULL; }\n", encoding="utf-8")
        build = build_ext(Distribution({"name": "probe", "ext_modules": [Extension("probe", [str(source)])]}))
        build.build_lib = build.build_temp = folder
        build.ensure_finalized()
        build.run()


def get_build_hook():
    """Return the hook for hatchling, because this module contains two hook classes."""
    return OptionalMypyc
