# tools/regenerate.py writes this file, but for imports of single names out of packages.
from . import discovery, estimator_checks

__all__ = ["discovery", "estimator_checks"]
