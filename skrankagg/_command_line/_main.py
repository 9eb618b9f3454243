"""Run a command, and turn what goes wrong into one sentence."""

import os
import sys
from collections.abc import Sequence

from ._usage import make_parser

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : list of str, default=None
        Arguments; None takes those of the process.

    Returns
    -------
    int
        Exit code: 0 if all went well, 1 if the data or the names given are wrong. Wrong usage exits with 2.
    """
    parser = make_parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    # Only now, because they load pandas and scikit-learn, which --help and wrong usage do not need.
    from ._commands import COMMANDS
    from ._messages import USER_MISTAKES, one_line, warnings_in_one_line

    try:
        with warnings_in_one_line():
            COMMANDS[args.command](args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough (| head). What is left in the buffer must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    except USER_MISTAKES as error:
        print(f"skrankagg: error: {one_line(error)}", file=sys.stderr)
        return 1
    return 0
