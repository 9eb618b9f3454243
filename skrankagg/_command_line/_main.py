"""Entry point of the command line, which runs a command and prints an error on one line."""

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ._usage import files_of, make_parser, recognise_files

# Module of each command. The function of the command has the command's name.
_MODULES = {
    "compare": "_compare",
    "tune": "_tune",
    "judge": "_judge",
    "aggregate": "_aggregate",
    "explain": "_aggregate",
    "audit": "_audit_file",
    "evaluate": "_evaluate_runs",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : list of str, default=None
        Arguments; None uses the arguments of the process.

    Returns
    -------
    int
        Exit code: 0 for success, 1 if the data are wrong, or if an argument contains a wrong name. Invalid options end
        the process with exit code 2.
    """
    parser = make_parser()
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        # The parser of the command raises the error, because its usage is shorter than the usage of the program.
        getattr(args, "parser", parser).error(f"unrecognized arguments: {' '.join(unknown)}")
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        if args.command in _MODULES:
            return _run(args)
        # The lists of methods and measures are read from files, so that no large library must be loaded.
        sys.stdout.write((Path(__file__).parent / f"{args.command}.txt").read_text(encoding="utf-8"))
        if args.command == "methods":
            _print_external_methods(args)
        sys.stdout.flush()
    except BrokenPipeError:
        _close_stdout()
    except KeyboardInterrupt:
        return 130
    return 0


def _run(args):
    recognise_files(args)
    # Imported here, because --help and errors of usage must not load pandas and scikit-learn.
    from ._command_progress import Progress
    from ._messages import USER_MISTAKES, one_line, warnings_in_one_line
    from ._python_words import in_flags

    try:
        command = getattr(importlib.import_module(f".{_MODULES[args.command]}", __package__), args.command)
        with warnings_in_one_line(args.flags, files_of(args)), Progress(args.quiet) as progress:
            command(args, progress)
        sys.stdout.flush()
    except USER_MISTAKES as error:
        text = in_flags(one_line(error), args.flags, getattr(error, "parameter", None), files_of(args))
        print(f"skrankagg: error: {text}", file=sys.stderr)
        return 1
    return 0


def _print_external_methods(args):
    from .._support._entry_points import find_entry_points

    if not find_entry_points():
        return
    # Imported here, because the classes of methods load pandas and scikit-learn.
    from ._messages import warnings_in_one_line
    from ._method_names import list_external_methods

    with warnings_in_one_line(args.flags, ""):
        sys.stdout.write(list_external_methods())


def _close_stdout():
    """Discard further output after a reader such as `head` has closed the pipe; otherwise the exit would fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
