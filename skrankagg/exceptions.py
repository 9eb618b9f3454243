"""Errors and warnings that skrankagg raises.

All errors in this module have causes that users can correct. An :class:`InputError` is a ValueError, an
:class:`InputTypeError` is a TypeError, and a :class:`MissingLibraryError` is an ImportError. A
:class:`MemoryLimitError` is an InputError. Any other error is a defect of skrankagg.
"""

__all__ = [
    "AmbiguousInputWarning",
    "CostWarning",
    "ExposureWarning",
    "FewListsWarning",
    "InputError",
    "InputTypeError",
    "MemoryLimitError",
    "MissingLibraryError",
    "MissingQueriesWarning",
    "NotComparedWarning",
    "NothingJudgedWarning",
    "PartialListsWarning",
    "RankScoreConflictWarning",
    "SimilarIdsWarning",
    "SplitQueryWarning",
    "UnequalLengthWarning",
    "UnfilledWarning",
    "UnknownVoterWarning",
]


class InputError(ValueError):
    """A value, file or combination of arguments that skrankagg cannot use.

    The message contains the expected input, the actual input and the remedy.

    Parameters
    ----------
    message : str
        Text of the message.
    parameter : str, default=None
        Name of the parameter with the wrong value. None if several parameters are wrong, or if the code that raises the
        error does not know the name.

    See Also
    --------
    InputTypeError : The type of an argument is wrong.

    Examples
    --------
    >>> from skrankagg.exceptions import InputError
    >>> from skrankagg.metrics import ndcg
    >>> try:
    ...     ndcg(["a", "b"], ["a"], k=0)
    ... except InputError as error:
    ...     print(error)
    The cutoff of Normalised DCG must be a whole number of at least 1; got 0.
    """

    def __init__(self, message: object = "", *, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


class InputTypeError(TypeError):
    """An argument of a type that skrankagg cannot use.

    The message contains the expected type, the actual type and the remedy.

    See Also
    --------
    InputError : The type is right and the value is wrong.

    Examples
    --------
    >>> from skrankagg import CombSUM
    >>> from skrankagg.exceptions import InputTypeError
    >>> try:
    ...     CombSUM().fit([[1, 2], [3, 4]])
    ... except InputTypeError as error:
    ...     print(error)
    The input of RankedLists.from_frame must be a data frame (pandas, polars or pyarrow) with a row for each ranked
    item; got builtins.list; encode dicts and lists with RankedLists.from_runs or from_lists.
    """


class MemoryLimitError(InputError, MemoryError):
    """A query needs more memory than is available, so the computation is not started.

    Methods that compare all pairs of items of a query need memory that grows with the square of the number of items.
    These methods estimate the memory before they allocate it. The message names the query, the required memory and the
    available memory. The error is a MemoryError. It is also an :class:`InputError`, because users can avoid it with
    fewer items or another method.

    Parameters
    ----------
    message : str
        Text of the message.
    parameter : str, default=None
        Name of the parameter with the wrong value. None if the cause is insufficient memory.

    See Also
    --------
    skrankagg.config_context : Sets another limit.

    Examples
    --------
    >>> import skrankagg
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.exceptions import MemoryLimitError
    >>> lists = make_ranked_lists(n_queries=1, n_items=300, list_length=300,
    ...     random_state=0)[0]
    >>> with skrankagg.config_context(memory_limit="100kB"):
    ...     try:
    ...         skrankagg.MarkovChain().fit_transform(lists)
    ...     except MemoryLimitError as error:
    ...         print(error)
    MarkovChain() needs about ... MB for query 'q1' of 300 items and 10 lists, and 100 kB are available; choose a method
    whose time and memory are linear, such as BordaCount, ReciprocalRankFusion or RankBiasedCentroid, or set another
    limit with skrankagg.config_context(memory_limit=...) or the variable SKRANKAGG_MEMORY.
    """


class MissingLibraryError(ImportError):
    """An optional library is missing.

    The message contains the name of the library and the command that installs the library.

    See Also
    --------
    skrankagg.show_versions : Lists the libraries that are installed.

    Examples
    --------
    >>> from skrankagg.exceptions import MissingLibraryError
    >>> issubclass(MissingLibraryError, ImportError)
    True
    """


class AmbiguousInputWarning(UserWarning):
    """Input can be read in two ways; the message describes the chosen way.

    For example, a frame may have the columns `query` and `qid`. Usually `query` contains the texts of the queries, and
    `qid` contains their ids, so `qid` is read. A frame with PyTerrier's columns `qid`, `query` and `docno` gives no
    warning. Another example is a matrix with more rows than columns. The rows of such a matrix may be voters instead of
    items.

    See Also
    --------
    skrankagg.RankedLists.from_frame : Reads `qid`.
    skrankagg.RankedLists.from_matrix : The parameter `rows` defines whether rows are items or voters.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.exceptions import AmbiguousInputWarning
    >>> hits = pd.DataFrame({"qid": ["1"], "query": ["how are ranks merged"], "doc": ["d7"],
    ...     "score": [2.5]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", AmbiguousInputWarning)
    ...     RankedLists.from_frame(hits)
    Traceback (most recent call last):
    skrankagg.exceptions.AmbiguousInputWarning: RankedLists.from_frame reads the ids of the queries from 'qid' ...
    >>> RankedLists.from_frame(hits.drop(columns="query")).queries.tolist()
    ['1']
    """


class CostWarning(UserWarning):
    """A call is expected to take more than a minute.

    The expected time is the estimate of :func:`~skrankagg.inspection.estimated_cost`. Aggregators and the
    :class:`~skrankagg.Comparator` warn before they start.

    See Also
    --------
    skrankagg.inspection.estimated_cost : Estimates the time and the memory of a call.
    skrankagg.model_selection.Comparator : Skips slow methods with ``skip_slower_than``.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg import RobustRankAggregation
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.exceptions import CostWarning
    >>> size = {"n_queries": 1, "n_voters": 20_000, "n_items": 100, "list_length": 5}
    >>> lists = make_ranked_lists(**size, random_state=0)[0]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", CostWarning)
    ...     RobustRankAggregation(exact=True).fit(lists)
    Traceback (most recent call last):
    skrankagg.exceptions.CostWarning: RobustRankAggregation(exact=True) will take about ...
    >>> consensus = RobustRankAggregation().fit_transform(lists)
    """


class ExposureWarning(UserWarning):
    """Lists of two items are aggregated by a method that ranks the items of a list above all other items.

    A comparison of two items gives no information about other items. However, if the tag ``absent_below`` of a method
    is true, the method treats both compared items, including the loser, as better than all other items. Such a method
    orders items by the number of their comparisons. The method warns once per call if a query has more than four items,
    and if lists of exactly two items have more than half of the query's list weight.

    See Also
    --------
    skrankagg.aggregators.MarkovChain : Uses the comparisons directly with ``chain="mct"``.
    skrankagg.base.AggregatorTags : Contains the tag.

    Examples
    --------
    Item e has the most comparisons, but loses to every other item:

    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import BordaCount, MarkovChain
    >>> from skrankagg.exceptions import ExposureWarning
    >>> duels = pd.DataFrame({"query": "q", "voter": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "item": list("aebecede")})
    >>> duels["rank"] = [1, 2] * 4
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", ExposureWarning)
    ...     BordaCount().fit_transform(duels)
    Traceback (most recent call last):
    skrankagg.exceptions.ExposureWarning: BordaCount treats the items in a list as better than ...
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ExposureWarning)
    ...     BordaCount().fit_transform(duels)["item"].tolist()
    ['e', 'a', 'b', 'c', 'd']
    >>> MarkovChain(chain="mct").fit_transform(duels)["item"].tolist()
    ['a', 'b', 'c', 'd', 'e']
    """


class FewListsWarning(UserWarning):
    """A query has so few lists that resampling cannot estimate how certain its consensus is.

    With fewer than five lists, intervals are too narrow, because all resamples consist of the same few lists.

    See Also
    --------
    skrankagg.inspection.rank_stability : Resamples lists and warns.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import BordaCount
    >>> from skrankagg.exceptions import FewListsWarning
    >>> from skrankagg.inspection import rank_stability
    >>> lists = pd.DataFrame({"query": "q", "voter": list("uuvv"), "item": list("abab"),
    ...     "rank": [1, 2, 1, 2]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", FewListsWarning)
    ...     rank_stability(BordaCount(), lists)
    Traceback (most recent call last):
    skrankagg.exceptions.FewListsWarning: 1 of 1 query has fewer than 5 lists to draw from. ...
    """


class MissingQueriesWarning(UserWarning):
    """More than half of the judged queries have no results in a run; each of these queries counts as 0.

    Measures are means over the judged queries. A run may contain only some of these queries, for example in one fold of
    a cross-validation. Each missing query then counts as 0, so the measures are too low. The warning is issued only
    with the default value of `missing_queries`. Pass ``missing_queries="zero"`` if 0 is intended, or
    ``missing_queries="skip"`` to leave the missing queries out.

    See Also
    --------
    skrankagg.metrics.make_ranking_scorer : Uses only the judged queries of the given lists.
    skrankagg.metrics.evaluate : Warns, as every measure does.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg.exceptions import MissingQueriesWarning
    >>> from skrankagg.metrics import precision
    >>> run, qrels = {"q1": ["a"]}, {"q1": ["a"], "q2": ["b"], "q3": ["a"]}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", MissingQueriesWarning)
    ...     precision(run, qrels, k=1)
    Traceback (most recent call last):
    skrankagg.exceptions.MissingQueriesWarning: 2 of the 3 judged queries have no results and count as 0. Leave ...
    >>> precision(run, qrels, k=1, missing_queries="skip"), round(precision(run, qrels, k=1,
    ...     missing_queries="zero"), 4)
    (1.0, 0.3333)
    """


class NotComparedWarning(UserWarning):
    """A consensus orders items that the lists of the query do not compare, not even through other items.

    Two items are joined if a list of positive weight contains both items. With ``absent="last"``, it is enough that the
    list contains one of the two items. Joined items form connected components. Within each component, the lists
    determine an order. The lists give no information about the order of items of different components. Methods with a
    parameter `absent`, and methods that use such a method, warn once per call.

    See Also
    --------
    skrankagg.RankedLists.components : Finds the components.
    skrankagg.base.AggregatorTags : Contains the tag ``compares``.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg import MarkovChain, RankedLists
    >>> from skrankagg.exceptions import NotComparedWarning
    >>> lists = RankedLists.from_lists({"u": ["a", "b"], "v": ["c", "d"], "w": ["c", "d"]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", NotComparedWarning)
    ...     MarkovChain().fit_transform(lists)
    Traceback (most recent call last):
    skrankagg.exceptions.NotComparedWarning: MarkovChain orders items that no list compares. In 1 query ...
    >>> lists.components()["component"].tolist()
    [1, 1, 2, 2]
    """


class NothingJudgedWarning(UserWarning):
    """A run is empty, or contains no judged query or no judged item, and therefore scores 0.

    If the ids of the run and of the judgements cannot be equal, because some are integers and the others are strings,
    an error is raised instead. An empty or unjudged run does not stop the evaluation of other runs.

    See Also
    --------
    skrankagg.metrics.evaluate : Warns, as every measure does.
    skrankagg.Qrels : The judgements.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg.exceptions import NothingJudgedWarning
    >>> from skrankagg.metrics import evaluate
    >>> runs, qrels = {"good": {"q": ["a"]}, "empty": {}}, {"q": ["a"]}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", NothingJudgedWarning)
    ...     evaluate(runs, qrels, "map")
    Traceback (most recent call last):
    skrankagg.exceptions.NothingJudgedWarning: The run 'empty' is empty; it scores 0. Check its ids ...
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NothingJudgedWarning)
    ...     evaluate(runs, qrels, "map")
           map
    run
    good   1.0
    empty  0.0
    """


class PartialListsWarning(UserWarning):
    """Lists that contain few of the items are aggregated by a method that does not place absent items low.

    Two treatments of absent items are suitable only if lists contain most items, or if voters saw only some items.
    :class:`~skrankagg.MarkovChain` with ``absent="ignore"``, its default, leaves absent items out. The norm "z-score"
    with ``absent_score="zero"``, the default, gives absent items the mean score of the list.

    On 24 judged collections, with lists cut at 100 items, the mean nDCG@10 of two methods was compared with the value
    for reciprocal rank fusion. One point is 0.01. The Markov chain MC4 was 4.4 points worse with ``absent="ignore"``,
    and 0.2 points better with ``absent="last"``. CombSUM was 1.9 points worse with ``absent_score="zero"``, and 0.2
    points worse with ``absent_score="min"``.

    The warning is issued once per call if the median length of the lists is below half of the number of items in most
    queries. The median takes the weights of lists into account. Paired comparisons never cause the warning.

    See Also
    --------
    skrankagg.base.AggregatorTags : Contains the tag ``lenient``.
    skrankagg.inspection.diagnose : Examines lists, and names the methods that are not suitable for them.
    ExposureWarning : Paired comparisons are aggregated by a method that ranks absent items last.

    Examples
    --------
    Each voter ranks the best three of many items:

    >>> import warnings
    >>> from skrankagg import MarkovChain
    >>> from skrankagg.exceptions import PartialListsWarning
    >>> lists = [["a", "b", "c"], ["d", "a", "e"], ["b", "f", "a"], ["g", "h", "b"]]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", PartialListsWarning)
    ...     MarkovChain().fit_transform(lists)
    Traceback (most recent call last):
    skrankagg.exceptions.PartialListsWarning: MarkovChain leaves absent items out instead of ranking them last, and ...
    >>> MarkovChain(absent="last").fit_transform(lists)["item"].tolist()[:3]
    ['a', 'b', 'd']
    """


class RankScoreConflictWarning(UserWarning):
    """The ranks and the scores of a list order its items differently.

    There are two usual causes. The first cause is that smaller scores are better, as for distances and p-values. The
    second cause is that the scores and the ranks belong to different lists. Methods that use only ranks ignore the
    scores. Methods with the tag ``needs_scores`` refuse the list with a ValueError. These methods are
    :class:`~skrankagg.CombSUM` and :class:`~skrankagg.CombMNZ` with a norm that uses scores, and methods built on these
    two. A list of weight 0 is not refused, because it has no influence.

    See Also
    --------
    skrankagg.RankedLists.from_frame : Warns, unless ``rank=None`` or ``score=None`` leaves one of the columns out.
    skrankagg.preprocessing.ScoreNormalizer : Computes scores from ranks if its norm uses ranks.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.exceptions import RankScoreConflictWarning
    >>> near = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b"], "rank": [1, 2],
    ...     "score": [0.1, 0.7]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", RankScoreConflictWarning)
    ...     RankedLists.from_frame(near)
    Traceback (most recent call last):
    skrankagg.exceptions.RankScoreConflictWarning: Ranks and scores order the items differently in 1 of 1 list; ...
    >>> RankedLists.from_frame(near, score=None)
    RankedLists(n_queries=1, n_voters=1, n_items=2, n_lists=1, n_rows=2, ranks)

    Smaller scores are better here, so they are negated:

    >>> RankedLists.from_frame(near.assign(score=-near["score"]))
    RankedLists(n_queries=1, n_voters=1, n_items=2, n_lists=1, n_rows=2, ranks and scores)
    """


class SimilarIdsWarning(UserWarning):
    """Two ids differ only in case or blanks, such as "BM25" and "bm25 ", and are treated as different.

    Often such ids are two spellings of one id. Similar ids are never merged, because they may be different: TP53 is a
    human gene, and Tp53 is a mouse gene. Ids of queries, of voters and of items are checked separately. They are
    checked if they are text and if there are at most 30,000 different ids. There is one warning per call.

    See Also
    --------
    skrankagg.RankedLists.from_frame : Removes blanks around ids with ``strip=True``.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg import RankedLists
    >>> from skrankagg.exceptions import SimilarIdsWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", SimilarIdsWarning)
    ...     RankedLists.from_lists({"Smith": ["TP53", "KRAS"], "Wu": ["KRAS ", "TP53"]})
    Traceback (most recent call last):
    skrankagg.exceptions.SimilarIdsWarning: These ids differ only in case or blanks: 'KRAS' and ...
    >>> RankedLists.from_lists({"Smith": ["TP53", "KRAS"], "Wu": ["KRAS ", "TP53"]},
    ...     strip=True).n_items
    2
    """


class SplitQueryWarning(UserWarning):
    """Lists have lost rows, for example because a splitter treated the rows of a frame as samples.

    Pass the splitter a :class:`~skrankagg.RankedLists`, whose samples are queries, instead of a frame. The warning is
    issued if the row labels of the frame have gaps, and if rows of a list are missing at these gaps. A gap may also be
    at the start of the frame. If the index of the frame was reset after the split, gaps cannot be found.

    See Also
    --------
    skrankagg.model_selection.QueryKFold : Splits a frame by queries.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.exceptions import SplitQueryWarning
    >>> lists = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b", "c", "d"],
    ...     "rank": [1, 2, 3, 4]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", SplitQueryWarning)
    ...     RankedLists.from_frame(lists.iloc[[0, 2, 3]])
    Traceback (most recent call last):
    skrankagg.exceptions.SplitQueryWarning: 1 list has lost rows, for example because a splitter treated the rows ...
    """


class UnequalLengthWarning(UserWarning):
    """Learned weights depend on the lengths of lists: the longest list of a query outweighs all other lists.

    A query is affected if two conditions hold. First, its longest list is longer than every other list and at least
    twice as long as the median list. Second, the longest list has more than five times the median weight of the query's
    lists. The consensus is then nearly the same as the longest list, even if the voter of this list is bad. The reason
    is that a long list contains more items of the consensus than a short list. Giving the long list a greater weight
    then makes the consensus even more similar to this list.

    See Also
    --------
    skrankagg.aggregators.DIBRA : Warns, like the other methods that learn weights.
    skrankagg.preprocessing.TopK : Cuts all lists to the same depth, which avoids the problem.

    Examples
    --------
    One voter ranks 200 items, and three voters rank 30 items each:

    >>> import warnings
    >>> from skrankagg import DIBRA
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.exceptions import UnequalLengthWarning
    >>> lists = make_ranked_lists(n_queries=2, n_voters=4, n_items=400, list_length=200,
    ...     random_state=0)[0]
    >>> lists = lists[(lists["voter"] == "v1") | (lists["rank"] <= 30)].reset_index(
    ...     drop=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", UnequalLengthWarning)
    ...     DIBRA().fit(lists)
    Traceback (most recent call last):
    skrankagg.exceptions.UnequalLengthWarning: The weights that DIBRA learned grow with the length of the lists in 2 ...
    >>> from sklearn.pipeline import make_pipeline
    >>> from skrankagg.preprocessing import TopK
    >>> consensus = make_pipeline(TopK(30), DIBRA()).fit_transform(lists)
    """


class UnfilledWarning(UserWarning):
    r"""A table of items to judge has rows without a judgement.

    These rows are skipped. The message contains the number of these rows, and the queries without any judgement.

    See Also
    --------
    skrankagg.datasets.read_judged_items : Warns.

    Examples
    --------
    >>> import tempfile, warnings
    >>> from pathlib import Path
    >>> from skrankagg.datasets import read_judged_items
    >>> from skrankagg.exceptions import UnfilledWarning
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
    ...     path = Path(folder) / "todo.csv"
    ...     _ = path.write_text("query,item,relevance\nq1,d7,2\nq1,d3,\n")
    ...     warnings.simplefilter("ignore", UnfilledWarning)
    ...     len(read_judged_items(path))
    1
    """


class UnknownVoterWarning(UserWarning):
    """Voters do not match: a parameter contains a name that is probably misspelt, or the fitted lists had other voters.

    A parameter such as ``voter_weights`` may contain a name without a list. The name is considered misspelt if it
    resembles exactly one voter. A name resembles a voter if the two are equal except for case, blanks, leading zeros
    and type (1 and "1"), or if their spelling is similar. Other names without a list cause no warning, because lists
    may be only a part of a data set, as in cross-validation. Some voters of the data set may have no list in this part.

    See Also
    --------
    skrankagg.aggregators.DIBRA : Warns with ``weighting="global"`` if it was fitted on none of the voters in the lists.
    skrankagg.preprocessing.VoterSelector : Warns if no voter of the lists has a fitted value.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from skrankagg import CombSUM
    >>> from skrankagg.exceptions import UnknownVoterWarning
    >>> lists = pd.DataFrame({"query": "q", "voter": ["bing", "google"], "item": ["a", "b"],
    ...     "rank": [1, 1]})
    >>> method = CombSUM(norm="rank", voter_weights={"bing": 1, "google": 1, "gogle": 3})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", UnknownVoterWarning)
    ...     method.fit(lists)
    Traceback (most recent call last):
    skrankagg.exceptions.UnknownVoterWarning: voter_weights names a voter that has no list: 'gogle' (did you mean ...
    """
