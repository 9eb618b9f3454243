"""Modules independent of ranked lists: scikit-learn's private names, progress, warnings, versions."""
