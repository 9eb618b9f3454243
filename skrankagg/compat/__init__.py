"""Compatibility modules for other libraries: their names, arguments and numbers, apart from the estimators."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
