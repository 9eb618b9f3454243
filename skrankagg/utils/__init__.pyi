from . import discovery, estimator_checks

__all__ = ["discovery", "estimator_checks"]
