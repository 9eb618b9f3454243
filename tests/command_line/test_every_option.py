"""Checks of every option of the command line: it is explained, documented and read. They find options by themselves."""

import argparse
import ast
import re
from pathlib import Path

import pytest

from skrankagg._command_line import _main
from skrankagg._command_line._usage import make_parser

FOLDER = Path(_main.__file__).parent


def commands():
    """Return the parser of each command that reads files, by name."""
    (choices,) = (one.choices for one in make_parser()._actions if isinstance(one, argparse._SubParsersAction))
    return {name: parser for name, parser in choices.items() if name in _main._MODULES}


def read_names(path):
    """Return the attributes of `args` that a module reads."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == "args"
    }


READ = {name: read_names(FOLDER / f"{module}.py") for name, module in _main._MODULES.items()}
# Modules that several commands share.
SHARED = set().union(
    *(read_names(FOLDER / f"{name}.py") for name in ("_input", "_report", "_aggregate_chunks", "_main"))
)
OPTIONS = [
    pytest.param(command, option, id=f"{command} {option.dest}")
    for command, parser in commands().items()
    for option in parser._actions
    if option.dest != "help"
]


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_option_is_read(command, option):
    assert option.dest in READ[command] | SHARED, f"skrankagg {command} never reads args.{option.dest}"


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_option_has_a_short_help_and_one_spelling(command, option):
    assert option.help and len(option.help) <= 140 and not option.help.endswith(".")
    assert all(re.fullmatch(r"-[a-z]|--[a-z]+(-[a-z]+)*", flag) for flag in option.option_strings)
    same = [one for _, one in (case.values for case in OPTIONS) if one.dest == option.dest]
    assert len({type(one.default) for one in same} - {type(None)}) <= 1, "its default has one type in all commands"


def test_options_that_take_values_show_them_in_the_help():
    for name, parser in commands().items():
        text = " ".join(parser.format_help().split())
        for option in parser._actions:
            if option.option_strings and option.nargs != 0 and option.choices is None:
                assert f"{option.option_strings[-1]} {(option.metavar or '?')}" in text or option.nargs == "?", name
