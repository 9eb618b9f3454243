"""The page of the guide on the command line: its commands print what it shows."""

import re
import shlex
from pathlib import Path

import pytest

from skrankagg.__main__ import main

PAGE = Path(__file__).resolve().parents[2] / "docs/user_guide/command_line.md"
SHOWN = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_command_line_page_shows_its_files_and_some_commands():
    assert sum(command.startswith("cat ") for command, _ in SHOWN) == 4
    assert sum(command.startswith("skrankagg ") for command, _ in SHOWN) >= 3


@pytest.mark.parametrize(("command", "output"), [one for one in SHOWN if one[0].startswith("skrankagg ")])
def test_commands_print_what_the_page_shows(tmp_path, monkeypatch, capsys, command, output):
    monkeypatch.chdir(tmp_path)
    for other, text in SHOWN:
        if other.startswith("cat "):
            (tmp_path / other.removeprefix("cat ")).write_text(text)
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out == output
