"""Checks that ``skrankagg.utils.estimator_checks`` runs on aggregators and list transformers."""
