"""Running commands in the folder of a test module's own fixture `folder`."""

import pytest

from skrankagg.__main__ import main
from skrankagg._command_line import _meanwhile


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A slow machine is no reason to tell of progress here."""
    monkeypatch.setattr(_meanwhile, "_PATIENCE", 1000.0)


@pytest.fixture
def run(folder, capsys):
    """Run a command that must succeed silently; returns what it prints."""

    def run(*argv):
        assert main(list(argv)) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.fixture
def fail(folder, capsys):
    """Run a command that must fail with one sentence, and print nothing else; returns it."""

    def fail(*argv):
        assert main(list(argv)) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("skrankagg: error: ") and err.endswith("\n") and err.count("\n") == 1
        assert "Traceback" not in err
        return err

    return fail
