"""PlackettLuce with covariates: checks of the covariates, the fit, its log-likelihood and its standard errors."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from ..._arrays._ragged import gather_ranges
from ..._data._compared_items import ranks_absent_last
from ..._data._covariates import select_covariates
from ..._data._frames import first_row, show_id
from ...exceptions import InputError
from ._covariate_errors import errors_with_covariates
from ._duel_rows import DuelRows
from ._duels import pair_queries
from ._list_rows import ListRows
from ._newton_rows import FAR

# Smallest share of a covariate's variation that must lie within lists, and smallest share that items and earlier
# covariates must not explain.
_CONSTANT, _EXPLAINED = 1e-12, 1e-9


class CovariateResult(NamedTuple):
    """Result of :meth:`CovariateModel.estimate`.

    Attributes
    ----------
    log_worth : ndarray of shape (n_candidates,)
        Log-worths.
    worth_error : ndarray of shape (n_candidates,), or None
        Standard errors of the log-worths; None if they were not requested.
    coefficients, errors, p : ndarray of shape (n_queries, P)
        Coefficients, their standard errors, and their p-values.
    log_likelihood, n_iter, converged : ndarray of shape (n_queries,)
        Log-likelihood of each query, number of steps, and a mask of the queries whose iteration has converged.
    """

    log_worth: np.ndarray
    worth_error: np.ndarray | None
    coefficients: np.ndarray
    errors: np.ndarray
    p: np.ndarray
    log_likelihood: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray


class CovariateModel:
    """Plackett-Luce model with covariates; the methods fit all queries and compute standard errors.

    A query is fitted as duels if all its lists have two items. If all queries share their coefficients, this is only
    done if all lists of all queries have two items.

    Parameters
    ----------
    lists : RankedLists
        Lists with covariates.
    method : PlackettLuce
        The method with its parameters.
    """

    def __init__(self, lists, method):
        self.lists, self.method = lists, method
        self.names = list(method.covariates)
        self.pooled = method.coefficients == "all"
        _refuse_absent(lists, method.absent)
        values = select_covariates(lists, self.names, "PlackettLuce")
        self._refuse_constant(values)
        are_pairs = pair_queries(lists)
        if self.pooled:
            are_pairs = np.full(lists.n_queries, are_pairs.all())
        #: One entry for the queries of duels, and one for the other queries: the queries, their lists and their rows.
        self.parts = []
        for pairs in (True, False):
            queries = np.flatnonzero(are_pairs == pairs)
            if len(queries):
                own = lists if len(queries) == lists.n_queries else lists.take(queries)
                self.parts.append((queries, own, self._rows(own, pairs)))
        for queries, _, rows in self.parts:
            self._refuse_explained(queries, rows)

    def estimate(self, *, errors=None):
        """Fit all queries and compute standard errors.

        `errors` is a dict with the arguments `votes` and `anchor` for the standard errors of the log-worths. With None,
        these errors are left out. The standard errors of coefficients are always computed.
        """
        lists, number = self.lists, len(self.names)
        log_worth, worth_error = np.empty((2, lists.n_candidates))
        coefficients, error, p = np.empty((3, lists.n_queries, number))
        log_likelihood, n_iter = np.empty((2, lists.n_queries))
        converged = np.empty(lists.n_queries, dtype=bool)
        kind = self.method.std_errors or "model"
        votes, anchor = (errors or {}).get("votes"), (errors or {}).get("anchor")
        for queries, own, rows in self.parts:
            fit = self.fit(queries, rows)
            mine = gather_ranges(lists.candidate_ptr, queries)[0]
            at = None
            if anchor is not None:
                place = np.full(lists.n_candidates, -1)
                place[mine] = np.arange(len(mine))
                at = place[anchor[queries]]
            log_worth[mine] = fit.log_worth
            factor = self.weights_of_rows(rows, np.ones(own.n_lists))
            worth_error[mine], of_sets, degrees = errors_with_covariates(
                rows, fit, own, kind, factor=factor, votes=votes, anchor=at
            )
            coefficients[queries], error[queries] = fit.coefficients, of_sets
            with np.errstate(divide="ignore", invalid="ignore"):
                p[queries] = 2 * stats.t.sf(np.abs(fit.coefficients) / of_sets, degrees[:, None])
            log_likelihood[queries] = self._log_likelihood(own, rows, fit.log_worth, fit.coefficients)
            n_iter[queries], converged[queries] = fit.n_iter, fit.converged
        worth_error = None if errors is None else worth_error
        return CovariateResult(log_worth, worth_error, coefficients, error, p, log_likelihood, n_iter, converged)

    def log_likelihoods(self, others):
        """Fit the lists, and compute the log-likelihoods of their queries with other list weights.

        `others`, of shape (n_lists,), contains the other weights. The first result uses the fitted log-worths and
        coefficients. The second result uses 0 for all log-worths and coefficients. Both results have the shape
        (n_queries,).
        """
        found, equal = np.empty((2, self.lists.n_queries))
        for queries, own, rows in self.parts:
            fit = self.fit(queries, rows)
            weight = others[gather_ranges(self.lists.list_ptr, queries)[0]]
            held, other = own.with_list_weight(weight), rows.with_weight(self.weights_of_rows(rows, weight))
            found[queries] = self._log_likelihood(held, other, fit.log_worth, fit.coefficients)
            equal[queries] = self._log_likelihood(held, other, 0 * fit.log_worth, 0 * fit.coefficients)
        return found, equal

    def _rows(self, lists, pairs):
        values = select_covariates(lists, self.names, "PlackettLuce")
        if pairs:
            return DuelRows.of_lists(lists, values, tied_win=self._tied_win, pooled=self.pooled)
        return ListRows(lists, values, self.method.ties, pooled=self.pooled)

    @property
    def _tied_win(self):
        return 0.5 if self.method.ties == "average" else 1.0

    def weights_of_rows(self, rows, weight):
        """Convert weights of lists to weights of rows; `weight` has shape (n_lists,) or (n_lists, n_replicates)."""
        if not isinstance(rows, DuelRows) or self._tied_win == 0.5:
            return weight
        factor = np.where(rows.share == 0.5, 2 * self._tied_win, 1.0)
        return (weight.T * factor).T

    def _log_likelihood(self, lists, rows, log_worth, coefficients):
        """Return the log-likelihood of each query, including the constant term of tied duels."""
        value = rows.log_likelihood(log_worth, coefficients)
        if isinstance(rows, DuelRows) and self.method.ties == "efron":
            value = value + np.log(2) * lists.sum_over_lists(lists.list_weight * (rows.share == 0.5))
        return value

    def fit(self, queries, rows, start=None, ridge=None):
        """Fit the rows of `queries`; return a RowsFit.

        Raises InputError if a covariate separates winners from losers and there is no ridge.
        """
        method = self.method
        fit = rows.fit(
            prior=method.prior,
            ridge=method.ridge if ridge is None else ridge,
            tol=method.tol,
            max_iter=method.max_iter,
            far=FAR if method.ridge == 0 else np.inf,
            start=start,
        )
        far = np.abs(fit.coefficients * rows.scale)
        if method.ridge == 0 and (far > FAR).any():
            one, k = np.unravel_index(int(np.argmax(far)), far.shape)
            raise InputError(
                f"Covariate {self.names[k]!r} must not separate winners from losers perfectly; it "
                f"does{self._where(queries, one)}, so its coefficient has no finite estimate. Pass ridge=1, or leave "
                "out the covariate."
            )
        return fit

    def _where(self, queries, one):
        """Return the words that name query ``queries[one]`` in an error message.

        If there is only one set of coefficients, return "".
        """
        if self.pooled or self.lists.n_queries == 1:
            return ""
        return f" in query {show_id(self.lists.queries, queries[one])}"

    def _refuse_constant(self, values):
        lists = self.lists
        weight, length = lists.list_weight, lists.list_length

        def of_sets(of_lists):
            return np.array([of_lists.sum()]) if self.pooled else lists.sum_over_lists(of_lists)

        list_set = np.zeros(lists.n_lists, dtype=np.intp) if self.pooled else lists.list_query
        total = of_sets(weight * length)
        if not total.all():
            one = int(np.flatnonzero(total == 0)[0])
            where = self._where(np.arange(lists.n_queries), one)
            raise InputError(
                f"Coefficients of covariates need lists with weights above 0; all weights{where} are 0. "
                + (f"Drop the query{self._or_pool}." if where else "Check the weights.")
            )
        within, overall = np.empty((2, len(total), len(self.names)))
        for k, column in enumerate(np.ascontiguousarray(values.T)):
            mean = of_sets(weight * np.add.reduceat(column, lists.row_ptr[:-1])) / total
            rest = column - (mean[0] if len(mean) == 1 else mean[list_set][lists.row_list])
            sums, squares = (np.add.reduceat(one, lists.row_ptr[:-1]) for one in (rest, rest**2))
            within[:, k] = of_sets(weight * (squares - sums**2 / length))
            overall[:, k] = of_sets(weight * squares)
        bad = within <= _CONSTANT * overall
        if bad.any():
            one, k = (int(found[0]) for found in np.nonzero(bad))
            some = " of weight above 0" if (weight[list_set == one] == 0).any() else ""
            raise InputError(
                f"Covariate {self.names[k]!r} must vary within lists; it is constant in each list{some}"
                f"{self._where(np.arange(lists.n_queries), one)}, so it cannot change the order. Leave out "
                f"the covariate{self._or_pool}."
            )

    @property
    def _or_pool(self):
        """Return the advice to choose coefficients='all', or "" if there is only one set of coefficients."""
        return "" if self.pooled or self.lists.n_queries == 1 else ", or choose coefficients='all'"

    def _refuse_explained(self, queries, rows):
        bad = rows.undetermined() <= _EXPLAINED
        if bad.any():
            one, k = (int(found[0]) for found in np.nonzero(bad))
            earlier = "" if k == 0 else f" and {', '.join(map(repr, self.names[:k]))}"
            raise InputError(
                f"The items{earlier} must not determine the differences of covariate {self.names[k]!r} within lists; "
                f"they do{self._where(queries, one)}, so its coefficient cannot be estimated. Leave out the covariate."
            )


def _refuse_absent(lists, absent):
    below = ranks_absent_last(lists, absent)
    full = lists.list_length == lists.query_n_items[lists.list_query]
    if absent == "last" or (below & ~full).any():
        v = first_row(below & ~full) if (below & ~full).any() else 0
        where = "" if absent == "last" else f", which ranks absent items of query {_query(lists, v)} last"
        raise InputError(
            "`absent` must be 'ignore' if covariates are given, because absent items have no covariates; got "
            f"{absent!r}{where}. Choose absent='ignore'."
        )


def _query(lists, v):
    return show_id(lists.queries, lists.list_query[v])
