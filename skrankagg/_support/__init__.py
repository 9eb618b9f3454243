"""Modules that do not depend on ranked lists, for scikit-learn's private names, progress, warnings and versions."""
