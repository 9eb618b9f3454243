"""PyFLAGR's Comparator, which runs many methods on the same lists and makes one table of measures."""

import time
from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

from ..._support._threads import one_blas_thread
from ...exceptions import InputError
from ...model_selection import latex_table
from ...model_selection._paper_words import escape
from ...plotting import ComparisonDisplay, CutoffDisplay
from ...plotting._display import new_axes
from ._input_check import encode_judgements, encode_profile
from ._method import AnyPath, Method, is_given, one_of

__all__ = ["Comparator"]

_MAP = "Mean Average Precision (MAP)"
_WITHOUT_CUTOFF = {"map": _MAP, "time": "time"}
# Measures at cutoffs: PyFLAGR's names of the measures, the columns, and the titles of plots.
_MEASURES = {
    "precision": ("P", "Precision"),
    "recall": ("recall", "Recall"),
    "dcg": ("dcg_cut", "DCG"),
    "ndcg": ("ndcg_cut", "nDCG"),
}


class Comparator:
    """Comparison of methods on the same lists, with a table of measures.

    Lists and judgements are read and encoded only once for all methods that have the same value of `convention`.

    Parameters
    ----------
    evaluation_points : int
        Largest cutoff of tables and plots. It must equal `eval_pts` of the methods.

    Attributes
    ----------
    aggregators : list of (str, method) tuples
        The methods that were added.
    results : DataFrame
        The measures of each method and query. The column `time` contains the seconds that the method needed, and the
        column `Method` contains its name. `results` is None until :meth:`aggregate` is called.

    See Also
    --------
    skrankagg.Comparator : The main Comparator of this library, for estimators.

    Examples
    --------
    >>> from skrankagg.compat.pyflagr import Comparator, Linear
    >>> from skrankagg.datasets import make_rasdagen
    >>> lists, judgements = make_rasdagen(n_queries=2, n_voters=5)
    >>> cmp = Comparator.Comparator(5)
    >>> cmp.add_aggregator("Borda", Linear.BordaCount(eval_pts=5))
    >>> cmp.aggregate(input_df=lists, rels_df=judgements)
    Running Borda ...
    >>> cmp.results.shape
    (3, 27)
    """

    def __init__(self, evaluation_points: int) -> None:
        self.aggregators: list[tuple[str, Any]] = []
        # The type includes Any, so that users need not check for None, which occurs only before a run.
        self.results: pd.DataFrame | Any = None
        self.ev_pts = evaluation_points

    def add_aggregator(self, name: str, obj: Any) -> None:
        """Add a method.

        Parameters
        ----------
        name : str
            Name of the method in the results.
        obj : object
            A method of this package, or any object that has a method ``aggregate`` as in PyFLAGR.
        """
        self.aggregators.append((name, obj))

    @one_blas_thread
    def aggregate(
        self,
        input_file: AnyPath = "",
        input_df: pd.DataFrame | None = None,
        rels_file: AnyPath = "",
        rels_df: pd.DataFrame | None = None,
    ) -> None:
        """Run and measure all methods.

        Parameters
        ----------
        input_file : str or path-like, default=""
            File of lists, see :meth:`CombSUM.aggregate <skrankagg.compat.pyflagr.Linear.CombSUM.aggregate>`.
        input_df : DataFrame, default=None
            The same lists as a frame.
        rels_file : str or path-like, default=""
            File of judgements.
        rels_df : DataFrame, default=None
            The same judgements as a frame.
        """
        if not self.aggregators:
            raise InputError("The Comparator has no methods. Add some with add_aggregator(name, method).")
        if not is_given(rels_file, rels_df):
            raise InputError("The Comparator needs judgements. Pass rels_file or rels_df.")
        read, tables = {}, []
        for name, method in self.aggregators:
            print("Running", name, "...")
            if isinstance(method, Method):
                quirks = method._quirks
                if quirks not in read:
                    profile = encode_profile(input_file, input_df, quirks)
                    read[quirks] = profile, encode_judgements(rels_file, rels_df, profile)
                profile, encoded = read[quirks]
                _, table = method._run_and_evaluate(profile, encoded)
            else:
                start = time.perf_counter()
                table = method.aggregate(input_file, input_df, rels_file, rels_df)[1]
                if "time" not in table:
                    table = table.assign(time=time.perf_counter() - start)
            tables.append(table.assign(Method=name))
        self.results = pd.concat(tables).rename(columns={"map": _MAP})

    def get_df_slice(
        self, cutoff: int, metric: Literal["map", "precision", "recall", "dcg", "ndcg", "time"], df: pd.DataFrame
    ) -> pd.DataFrame:
        """Select the columns of one measure.

        Parameters
        ----------
        cutoff : int
            Largest cutoff.
        metric : {"map", "precision", "recall", "dcg", "ndcg", "time"}
            Measure. "map" and "time" have a single column, which does not depend on the cutoff.
        df : DataFrame
            Rows of `results`.

        Returns
        -------
        DataFrame
            A row for each cutoff, and a column for each row of `df`; the columns have the names of the methods.
        """
        one_of("metric", metric, (*_WITHOUT_CUTOFF, *_MEASURES))
        self._check_cutoff(cutoff)
        if metric in _WITHOUT_CUTOFF:
            columns = [_WITHOUT_CUTOFF[metric]]
        else:
            columns = [f"{_MEASURES[metric][0]}_{k}" for k in range(1, cutoff + 1)]
        return df.set_index("Method")[columns].T

    def get_results(self, cutoff: int, metric: str | Sequence[str] = "all", query: str = "all") -> pd.DataFrame:
        """Select measures of one query, or of all queries.

        Parameters
        ----------
        cutoff : int
            Largest cutoff.
        metric : str or list of str, default="all"
            Measures; "all" selects all columns, including columns for larger cutoffs.
        query : str, default="all"
            Query as in the column `q`, such as "Topic 1"; "all" selects the means over the queries.

        Returns
        -------
        DataFrame
            A row for each method, and a column for each measure and cutoff.
        """
        rows = self._rows(query)
        if isinstance(metric, str) and metric == "all":
            return rows
        metrics = [metric] if isinstance(metric, str) else metric
        return pd.concat([self.get_df_slice(cutoff, one, rows) for one in metrics]).T

    def convert_to_latex(
        self, cutoff: int, metric: str | Sequence[str] = "all", query: str = "all", dec_pts: int = 6
    ) -> str:
        """Write measures as a LaTeX table.

        Parameters
        ----------
        cutoff : int
            Largest cutoff.
        metric : str or list of str, default="all"
            Measures.
        query : str, default="all"
            Query as in the column `q`.
        dec_pts : int, default=6
            Number of decimals.

        Returns
        -------
        str
            The complete table environment.
        """
        table = self.get_results(cutoff, metric, query)
        if "Method" in table:
            table = table.set_index("Method").drop(columns="q")
        # PyFLAGR's headings are the names of the columns.
        titles = {name: escape(name) for name in table if name != "time"}
        return latex_table(table, decimals=dec_pts, mark_best=False, time="time", headings=titles)

    def plot_average_precision(
        self, dimensions: tuple[float, float], show_grid: bool, query: str = "all"
    ) -> ComparisonDisplay:
        """Draw a bar chart of the mean average precision of each method.

        Parameters
        ----------
        dimensions : (float, float)
            Width and height in inches.
        show_grid : bool
            Whether to draw a grid.
        query : str, default="all"
            Query as in the column `q`.

        Returns
        -------
        ComparisonDisplay
            The plot, with its axes in ``ax_``.
        """
        results = self._rows(query).set_index("Method")[_MAP]
        display = ComparisonDisplay(results, label=_MAP).plot(new_axes(*dimensions))
        display.ax_.grid(show_grid, axis="x")
        return display

    def plot_metric(
        self,
        cutoff: int,
        metric: Literal["precision", "recall", "dcg", "ndcg"],
        plot_type: Literal["bar", "line"] = "bar",
        dimensions: tuple[float, float] = (10.24, 7.68),
        show_grid: bool = True,
        query: str = "all",
    ) -> CutoffDisplay:
        """Draw a measure of each method at each cutoff.

        Parameters
        ----------
        cutoff : int
            Largest cutoff.
        metric : {"precision", "recall", "dcg", "ndcg"}
            Measure.
        plot_type : {"bar", "line"}, default="bar"
            Type of the plot.
        dimensions : (float, float), default=(10.24, 7.68)
            Width and height in inches.
        show_grid : bool, default=True
            Whether to draw a grid.
        query : str, default="all"
            Query as in the column `q`.

        Returns
        -------
        CutoffDisplay
            The plot, with its axes in ``ax_``.
        """
        one_of("metric", metric, _MEASURES)
        values = self.get_df_slice(cutoff, metric, self._rows(query))
        values.index = pd.RangeIndex(1, cutoff + 1)
        display = CutoffDisplay(values.T, label=_MEASURES[metric][1]).plot(plot_type, new_axes(*dimensions))
        display.ax_.grid(show_grid, axis="y" if plot_type == "line" else "x")
        return display

    def _rows(self, query):
        if self.results is None:
            raise InputError("There are no results yet. Call aggregate() first.")
        rows = self.results[self.results["q"] == query]
        if rows.empty:
            raise InputError(f"`query` must be one of {', '.join(pd.unique(self.results['q']))}; got {query!r}.")
        return rows

    def _check_cutoff(self, cutoff):
        if not 1 <= cutoff <= self.ev_pts:
            raise InputError(
                f"`cutoff` must be from 1 to {self.ev_pts}, the number of evaluation points; got {cutoff!r}."
            )
