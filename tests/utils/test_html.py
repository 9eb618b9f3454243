"""scikit-learn's HTML of an estimator links to our documentation and does not mention features."""

import re

import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

from skrankagg import Comparator, Copeland, Kemeny, LocalKemenization
from skrankagg._support import _sklearn
from skrankagg.base import BaseAggregator
from skrankagg.datasets import make_ranked_lists
from skrankagg.preprocessing import AggregatorUnion, TopK
from skrankagg.utils.discovery import all_aggregators, all_transformers
from skrankagg.utils.estimator_checks import example_lists

LISTS, QRELS, _ = make_ranked_lists(n_queries=3, random_state=0)
ESTIMATORS = [
    Copeland(),
    LocalKemenization(Copeland()),
    AggregatorUnion([("copeland", Copeland())]),
    make_pipeline(TopK(3), Copeland()),
    Comparator([("copeland", Copeland())], qrels=QRELS),
]


@pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_html_does_not_mention_features(estimator, fitted):
    page = (estimator.fit(LISTS) if fitted else estimator)._repr_html_()
    assert "Copeland" in page and not re.findall(r"\d+ features?", page)


def test_get_feature_names_out_is_unaffected_by_html():
    Copeland()._repr_html_()
    assert Copeland().get_feature_names_out().tolist() == ["query", "item", "score", "rank"]
    assert TopK(3).fit(example_lists()).get_feature_names_out().tolist()[:4] == ["query", "voter", "item", "rank"]


def own_classes():
    return [*dict(all_aggregators()).values(), *dict(all_transformers()).values(), Comparator]


def test_html_has_no_links_without_a_documentation_site():
    assert not _sklearn.documentation()
    for estimator in ESTIMATORS:
        assert not re.findall(r'href="(?!https://scikit-learn.org/)', estimator._repr_html_())
    assert "href" not in Copeland()._repr_html_()


def test_doc_link_points_to_the_page_of_the_class(monkeypatch):
    monkeypatch.setattr(_sklearn, "documentation", lambda: "https://docs.example")
    for cls in own_classes():
        module = cls.__module__.partition("._")[0]
        link = cls._get_doc_link(object.__new__(cls))
        assert link == f"https://docs.example/api/generated/{module}.{cls.__name__}.html"
    page = Kemeny()._repr_html_()
    assert "https://docs.example/api/generated/skrankagg.aggregators.Kemeny.html" in page


def test_doc_link_is_empty_for_user_classes(monkeypatch):
    monkeypatch.setattr(_sklearn, "documentation", lambda: "https://docs.example")

    class Own(BaseAggregator):
        pass

    assert Own()._get_doc_link() == "" and "docs.example" not in Own()._repr_html_()
    assert BaseEstimator()._get_doc_link().startswith("https://scikit-learn.org/")
