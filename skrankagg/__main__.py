"""The command line: compare methods, aggregate lists, evaluate runs.

``skrankagg --help`` and ``skrankagg compare --help`` teach the rest. Results go to standard output and nothing else
does; a mistake of the user's is one sentence on standard error, and a mistake of ours a traceback.
"""

import sys

from ._command_line import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
