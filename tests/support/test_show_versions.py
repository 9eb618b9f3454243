"""show_versions and version_of."""

import numpy as np

import skrankagg
from skrankagg import _kernels
from skrankagg._support._show_versions import version_of


def test_version_of_returns_the_version_or_names_a_missing_library():
    assert version_of("numpy") == np.__version__
    assert version_of("a-library-that-does-not-exist") == "not installed"


def test_show_versions_names_kernels_that_are_older_than_their_source(monkeypatch, capsys):
    skrankagg.show_versions()
    assert "older than their source" not in capsys.readouterr().out
    monkeypatch.setattr(_kernels, "stale_kernels", lambda: ["_buckets", "_joint"])
    skrankagg.show_versions()
    assert "older than their source: _buckets, _joint\n" in capsys.readouterr().out
