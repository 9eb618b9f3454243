"""Classifiers: a dict of six matrices of predict_proba, and the labels; cross-validated accuracy of three fusions."""

import numpy as np
import pytest

from skrankagg import BordaCount, CombSUM, Comparator, LearnedWeights, Qrels, RankedLists

N, CLASSES = 300, 4


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    labels = rng.integers(CLASSES, size=N)
    probabilities = {}
    for name, skill in {"logistic": 1.6, "forest": 1.5, "knn": 1.1, "bayes": 1.0, "svm": 0.8, "tree": 0.4}.items():
        logits = skill * np.eye(CLASSES)[labels] + rng.normal(size=(N, CLASSES))
        if name == "bayes":
            logits *= 4  # too sure of itself
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities[name] = odds / odds.sum(axis=1, keepdims=True)
    return probabilities, labels


def accuracy(scores, labels):
    return (scores.argmax(axis=1) == labels).mean()


def borda_of(probabilities):
    """Return the number of classes that each class beats, summed over the classifiers."""
    return sum((one[:, :, None] > one[:, None, :]).sum(axis=2) for one in probabilities.values())


def test_three_fusions_are_compared_by_cross_validated_accuracy(data):
    probabilities, labels = data
    votes = RankedLists.from_scores(probabilities)
    methods = [("sum", CombSUM(norm=None)), ("Borda", BordaCount()), ("learned", LearnedWeights(CombSUM(norm=None)))]
    qrels = Qrels.from_labels(labels)
    comparator = Comparator(methods, metrics="p@1", qrels=qrels, cv=5, with_voters=True, verbose=False)
    found = comparator.fit(votes).results_["p@1"]
    for name, one in probabilities.items():
        assert found[name] == pytest.approx(accuracy(one, labels))
    assert found["sum"] == pytest.approx(accuracy(sum(probabilities.values()), labels))
    # Ties of Borda points are decided by the ids of the classes, as argmax does.
    assert found["Borda"] == pytest.approx(accuracy(borda_of(probabilities), labels))
    # The learnt weights are those of the folds: each sample is predicted by weights that were learnt on other samples.
    hits = 0
    for start in range(0, N, N // 5):
        test = np.arange(start, start + N // 5)
        train = np.setdiff1d(np.arange(N), test)
        model = LearnedWeights(CombSUM(norm=None)).fit(votes[train], qrels=qrels)
        weight = model.voter_weights_.set_index("voter")["weight"]
        scores = sum(weight[name] * probabilities[name][test] for name in probabilities)
        hits += (scores.argmax(axis=1) == labels[test]).sum()
    assert found["learned"] == pytest.approx(hits / N)
    assert found["learned"] > found["sum"] > found["tree"]


def test_the_dict_itself_is_read_by_every_call(data):
    probabilities, labels = data
    votes = RankedLists.from_scores(probabilities)
    assert CombSUM(norm=None).fit_transform(probabilities).equals(CombSUM(norm=None).fit_transform(votes))
    comparator = Comparator(
        [("sum", CombSUM(norm=None))], metrics="p@1", qrels=Qrels.from_labels(labels), verbose=False
    )
    assert comparator.fit(probabilities).results_.loc["sum", "p@1"] == accuracy(sum(probabilities.values()), labels)
