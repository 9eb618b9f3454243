"""The command line: compare methods, aggregate lists, evaluate runs.

``skrankagg --help`` and ``skrankagg compare --help`` describe the commands and their options. Only results are written
to standard output. A user error prints one sentence to standard error. A bug in the library prints a traceback.
"""

import sys

from ._command_line import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
