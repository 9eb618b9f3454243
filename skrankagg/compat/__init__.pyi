# tools/regenerate.py writes this file, but for imports of single names out of packages.
from . import pyflagr, pyterrier

__all__ = ["pyflagr", "pyterrier"]
