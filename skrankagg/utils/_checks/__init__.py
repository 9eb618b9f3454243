"""Checks behind ``skrankagg.utils.estimator_checks``, for all estimators, aggregators and list transformers."""
