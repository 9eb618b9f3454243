"""The command `skrankagg`: its options, subcommands and error messages."""

from ._main import main
