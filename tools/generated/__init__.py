"""Texts generated from the code; `tools/regenerate.py` writes them.

A module has a function `files()`, which returns the texts of the files that it is responsible for, by their paths.
"""
