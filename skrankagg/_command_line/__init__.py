"""The command line: its usage, commands and error messages."""

from ._main import main
