"""Compatibility modules: names, arguments and numbers of other libraries, separate from the estimators."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
