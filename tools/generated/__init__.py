"""Texts generated from the code; `tools/regenerate.py` writes them.

Each module has a function `files()`, which returns a dict of path to text for the module's files.
"""
