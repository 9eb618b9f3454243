"""A small supervised aggregator for tests, and an estimator that all versions of scikit-learn accept."""

from numbers import Real

import numpy as np
from sklearn.linear_model import LogisticRegressionCV

from skrankagg._support._sklearn import VERSION, Interval
from skrankagg.base import SupervisedAggregator


class PositionGrades(SupervisedAggregator):
    """Give an item in each list the mean grade that training items had at its position, a little smoothed."""

    _parameter_constraints: dict = {
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "qrels": "no_validation",
    }

    def __init__(self, *, smoothing=0.5, qrels=None):
        self.smoothing = smoothing
        self.qrels = qrels

    def _learn(self, lists, judged):
        weight = lists.list_weight[lists.row_list]
        grade = np.nan_to_num(judged.relevance)[lists.candidate]
        total, count = np.zeros(0), np.zeros(0)
        # A mid-rank is between two positions, and counts half at each.
        for position in (np.floor(lists.rank), np.ceil(lists.rank)):
            size = max(len(total), int(position.max()) + 1)
            total = np.bincount(position.astype(int), weights=weight * grade, minlength=size) + _padded(total, size)
            count = np.bincount(position.astype(int), weights=weight, minlength=size) + _padded(count, size)
        prior = total.sum() / count.sum()
        self.grade_ = (total + self.smoothing * prior) / (count + self.smoothing)
        self.queries_ = lists.queries.tolist()

    def _aggregate(self, lists):
        last = len(self.grade_) - 1
        low, high = (np.minimum(at(lists.rank).astype(int), last) for at in (np.floor, np.ceil))
        share = (self.grade_[low] + self.grade_[high]) / 2 * lists.list_weight[lists.row_list]
        return np.bincount(lists.candidate, weights=share, minlength=lists.n_candidates)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.unanimity = False  # training items may have been better at a lower position
        tags.aggregator_tags.absent_below = False
        return tags


def _padded(values, size):
    return np.pad(values, (0, size - len(values)))


def logistic_regression_cv(**params):
    """Return a LogisticRegressionCV with a ridge penalty, which version 1.8 of scikit-learn sets in another way."""
    if VERSION >= (1, 8):
        params |= {"l1_ratios": (0,), "use_legacy_attributes": False}
    return LogisticRegressionCV(**params)
