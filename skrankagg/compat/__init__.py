"""Compatibility modules for other libraries: their names, arguments and numbers, apart from the estimators."""
