from . import pyflagr

__all__ = ["pyflagr"]
