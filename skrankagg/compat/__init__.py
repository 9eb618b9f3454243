"""Replacements for other libraries, with the same names and arguments and the same numerical results."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
