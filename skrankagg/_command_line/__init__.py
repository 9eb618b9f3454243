"""The command line: its usage, its commands, its words for what goes wrong."""

from ._main import main
