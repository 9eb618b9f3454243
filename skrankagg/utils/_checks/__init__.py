"""Checks behind ``skrankagg.utils.estimator_checks``: common ones, of aggregators, of list transformers."""
