"""Modules with the names and arguments of other libraries, which compute the same numbers as these libraries."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
