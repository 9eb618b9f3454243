"""Evaluation of estimators, voters and runs against judgements."""

from ._evaluate import *
from ._evaluate_voters import *
from ._scorer import *
