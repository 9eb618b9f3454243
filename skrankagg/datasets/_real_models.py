"""Real rankings that are computed from scikit-learn's data: classifiers rank classes, and selectors rank features."""

from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from .._support._sklearn import lasso_logistic_regression
from .._support._threads import one_blas_thread

__all__ = ["load_digits_votes", "load_feature_rankings"]


def _lists(queries, voters, items, value):
    """Convert an array of scores to a frame of ranked lists, sorted by query, voter, rank and item.

    The array has the shape (n_queries, n_voters, n_items).
    """
    rank = rankdata(-value, method="min", axis=-1).astype(np.int64)
    order = np.argsort(rank, axis=-1, kind="stable")
    n_lists, n_items = len(queries) * len(voters), len(items)
    return pd.DataFrame(
        {
            "query": pd.Index(queries, dtype=str).repeat(len(voters) * n_items),
            "voter": pd.Index(voters, dtype=str).take(
                np.tile(np.repeat(np.arange(len(voters)), n_items), len(queries))
            ),
            "item": pd.Index(items, dtype=str).take(order.ravel()),
            "rank": np.take_along_axis(rank, order, axis=-1).reshape(n_lists * n_items),
            "score": np.take_along_axis(value, order, axis=-1).reshape(n_lists * n_items),
        }
    )


@lru_cache(maxsize=1)
@one_blas_thread
def _digits_votes():
    from sklearn.datasets import load_digits
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    images, labels = load_digits(return_X_y=True)
    images = images / 16
    classifiers = {
        "decision_tree": (DecisionTreeClassifier(min_samples_leaf=5, random_state=0), "predict_proba"),
        "discriminant_analysis": (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), "decision_function"),
        "logistic_regression": (LogisticRegression(C=0.5, max_iter=1000, tol=1e-3), "predict_proba"),
        "naive_bayes": (GaussianNB(var_smoothing=0.01), "predict_log_proba"),
        "nearest_neighbors": (KNeighborsClassifier(10), "predict_proba"),
    }
    # The images are not shuffled. They are ordered by writer, and no classifier should be trained on the writer of its
    # test images.
    folds = StratifiedKFold(5)
    value = np.stack(
        [cross_val_predict(model, images, labels, cv=folds, method=method) for model, method in classifiers.values()],
        axis=1,
    )
    queries, classes = [f"{k:04d}" for k in range(len(labels))], [str(k) for k in range(10)]
    relevance = labels[:, None] == np.arange(10)
    qrels = pd.DataFrame(
        {
            "query": pd.Index(queries, dtype=str).repeat(10),
            "item": pd.Index(classes, dtype=str).take(np.tile(np.arange(10), len(queries))),
            "relevance": relevance.ravel().astype(np.int64),
        }
    )
    return _lists(queries, list(classifiers), classes, value), qrels


def load_digits_votes() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Load rankings of the ten digits by five classifiers, for images of handwritten digits.

    The correct digit of each image is known. The voters differ in skill, and their scores have different scales. A
    query is an image, and an item is a class, 0 to 9. A voter is a classifier of scikit-learn that was trained on other
    images.

    Returns
    -------
    lists : DataFrame of shape (89850, 5)
        Columns query ("0000" to "1796", the row of the image in :func:`~sklearn.datasets.load_digits`), voter, item
        ("0" to "9"), rank (int64, 1 = best) and score (float64, higher is better). The ids of queries, voters and items
        are str. Tied items share the smallest of their ranks. Every list contains all ten digits. Rows are ordered by
        query, voter, rank and item.
    qrels : DataFrame of shape (17970, 3)
        Columns query, item (str) and relevance (int64). The relevance is 1 for the written digit and 0 for the other
        digits. Rows are ordered by query and item.

    See Also
    --------
    load_feature_rankings : Loads rankings of features, for which the correct order is unknown.
    make_ranked_lists : Generates lists by voters of any quality; the correct order is known.
    skrankagg.RankedLists.from_matrix : Encodes ranked lists from the scores of your own classifiers.

    Notes
    -----
    There are five stratified folds. In each fold, the classifiers are trained on four fifths of the images and rank the
    classes for the other fifth. The images are not shuffled, so images by the same writer are rarely in both the
    training part and the ranked part.

    =====================  ===========================================================  ========
    voter                  score                                                        accuracy
    =====================  ===========================================================  ========
    decision_tree          probability: many ties at 0, leaves of at least five images       .77
    discriminant_analysis  decision value, linear, shrunken covariances                      .92
    logistic_regression    probability                                                       .93
    naive_bayes            logarithm of the probability                                      .88
    nearest_neighbors      share of 10 neighbours: most classes tie at 0                     .95
    =====================  ===========================================================  ========

    The first call computes the lists in about a second and keeps them in memory. Each call returns copies. The last
    bits of the scores depend on the version of scikit-learn and on the machine.

    The images are the test set of [1]_, which scikit-learn includes. The original data are licensed under CC BY 4.0.

    References
    ----------
    .. [1] E. Alpaydin and C. Kaynak, "Optical recognition of handwritten digits", UCI Machine Learning Repository,
       1998.

    Examples
    --------
    >>> from skrankagg.datasets import load_digits_votes
    >>> lists, qrels = load_digits_votes()
    >>> image = lists[(lists["query"] == "0103") & (lists["rank"] == 1)]
    >>> dict(zip(image["voter"], image["item"]))
    {'decision_tree': '8', 'discriminant_analysis': '3', 'logistic_regression': '3', 'naive_bayes': '7',
     'nearest_neighbors': '3'}
    >>> qrels.loc[(qrels["query"] == "0103") & (qrels["relevance"] == 1), "item"].tolist()
    ['3']
    """
    lists, qrels = _digits_votes()
    return lists.copy(), qrels.copy()


def _mutual_information(X, y):
    from sklearn.feature_selection import mutual_info_classif

    return mutual_info_classif(X, y, random_state=0)


def _selectors():
    """Return a dict of methods of feature selection, by name.

    Each value is a pair: an estimator of scikit-learn, and a function that returns the score of each feature from the
    fitted estimator.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_selection import RFE, SelectKBest, f_classif
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    sparse = lasso_logistic_regression(C=0.5, solver="liblinear", random_state=0)
    elimination = RFE(LogisticRegression(solver="liblinear", random_state=0), n_features_to_select=1)
    return {
        "anova_f": (SelectKBest(f_classif), lambda fitted: fitted.scores_),
        "l1_logistic": (make_pipeline(StandardScaler(), sparse), lambda fitted: np.abs(fitted[-1].coef_[0])),
        "mutual_information": (SelectKBest(_mutual_information), lambda fitted: fitted.scores_),
        "random_forest": (RandomForestClassifier(random_state=0), lambda fitted: fitted.feature_importances_),
        "recursive_elimination": (make_pipeline(StandardScaler(), elimination), lambda fitted: -fitted[-1].ranking_),
    }


@lru_cache(maxsize=1)
@one_blas_thread
def _feature_rankings():
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import StratifiedKFold

    data = load_breast_cancer()
    X, y = data["data"], data["target"]
    parts = [train for train, _ in StratifiedKFold(5).split(X, y)]
    value = np.array(
        [[read(model.fit(X[rows], y[rows])) for model, read in _selectors().values()] for rows in parts],
        dtype=np.float64,
    )
    queries = [f"fold{k}" for k in range(len(parts))]
    return _lists(queries, list(_selectors()), data["feature_names"].tolist(), value)


def load_feature_rankings() -> pd.DataFrame:
    """Load rankings of the features of the breast cancer data by five selectors in five folds.

    The voters disagree systematically, because some voters examine one feature at a time and others examine all
    features together. A query is a fold, an item is one of 30 features, and a voter is a selector of scikit-learn.

    Returns
    -------
    DataFrame of shape (750, 5)
        Columns query ("fold0" to "fold4"), voter, item (the name of the feature), rank (int64, 1 = best) and score
        (float64, higher is better). The ids of queries, voters and items are str. Tied items share the smallest of
        their ranks. Every list contains all 30 features. Rows are ordered by query, voter, rank and column of the data
        table.

    See Also
    --------
    skrankagg.feature_selection.ConsensusSelector : Ranks the features of your own table by your own selectors.
    skrankagg.stats.selection_stability : Measures the stability of such lists over the folds.
    load_digits_votes : Loads lists for which the correct item is known.

    Notes
    -----
    There are five stratified folds, and each selector is fitted on the training part of each fold. Two training parts
    share three quarters of their rows. It is unknown which features are relevant.

    =====================  ========================================================================
    voter                  score
    =====================  ========================================================================
    anova_f                the F statistic of an analysis of variance, for each feature alone
    l1_logistic            absolute coefficient of a sparse logistic regression: more than half tie at 0
    mutual_information     the estimate by nearest neighbours, for each feature alone
    random_forest          the decrease of impurity over 100 trees
    recursive_elimination  minus the rank from eliminating features one by one (logistic regression)
    =====================  ========================================================================

    The first call computes the lists in a second or two and keeps them in memory. Each call returns a copy. The last
    bits of the scores depend on the version of scikit-learn and on the machine.

    The table of 569 rows is from [1]_ and included in scikit-learn. The original data are licensed under CC BY 4.0.

    References
    ----------
    .. [1] W. Wolberg, O. Mangasarian, N. Street and W. Street, "Breast cancer Wisconsin (diagnostic)", UCI Machine
       Learning Repository, 1995.

    Examples
    --------
    >>> from skrankagg.datasets import load_feature_rankings
    >>> lists = load_feature_rankings()
    >>> first = lists[(lists["query"] == "fold0") & (lists["rank"] == 1)]
    >>> dict(zip(first["voter"], first["item"]))
    {'anova_f': 'worst concave points', 'l1_logistic': 'worst radius', 'mutual_information': 'worst perimeter',
     'random_forest': 'worst perimeter', 'recursive_elimination': 'worst radius'}
    """
    return _feature_rankings().copy()
