"""Transformer of PyTerrier that merges lists with an aggregator."""

import copy

import numpy as np
import pandas as pd
import pyterrier as pt

from .._data._qrels import Qrels
from .._data._ranked_lists import RankedLists
from ..exceptions import InputError

_KEYS = ["qid", "docno"]


def is_transformer(given):
    """Return True if `given` is a transformer of PyTerrier."""
    return isinstance(given, pt.Transformer)


class MergingTransformer(pt.Estimator):
    """Transformer that merges the results of retrievers, or the lists in its input; see `as_pyterrier`."""

    schematic = {"inner_pipelines_mode": "linked", "label": "skrankagg"}
    # PyTerrier's own hash depends on the parameters, which a grid search changes.
    __hash__ = object.__hash__

    def __init__(self, aggregator, retrievers=None, *, duplicates="error"):
        super().__init__()
        self.aggregator = copy.deepcopy(aggregator)
        self.retrievers = retrievers
        self.duplicates = duplicates

    def transform(self, inp):
        """Merge the lists of each query, and return a frame with PyTerrier's columns."""
        rows = self._rows(inp)
        found = _first_values(rows)
        others = list(found.columns.drop(_KEYS))
        if not len(rows):
            merged = pd.DataFrame({"score": pd.Series(dtype=float), "rank": pd.Series(dtype=int)})
            return pd.concat([found[_in_order(others)], merged], axis=1)
        consensus = _to_pandas(self.aggregator.transform(self._encode(rows)))
        consensus = consensus.rename(columns={"query": "qid", "item": "docno"})[[*_KEYS, "score", "rank"]]
        found = found.merge(consensus.assign(rank=consensus["rank"] - 1), on=_KEYS)
        place = {query: number for number, query in enumerate(dict.fromkeys([*inp["qid"], *rows["qid"]]))}
        order = np.lexsort([found["rank"], found["qid"].map(place)])
        return found.iloc[order].reset_index(drop=True)[[*_in_order(others), "score", "rank"]]

    def fit(self, topics_or_res_tr, qrels_tr, topics_or_res_va=None, qrels_va=None):
        """Fit the aggregator on the lists of the topics, and on their judgements; the validation data are ignored."""
        self.aggregator.fit(self._encode(self._rows(topics_or_res_tr)), Qrels.from_frame(qrels_tr))

    def compile(self):
        """Return a copy of the transformer with compiled retrievers."""
        if self.retrievers is None:
            return self
        retrievers = {name: one.compile() for name, one in self.retrievers.items()}
        return MergingTransformer(self.aggregator, retrievers, duplicates=self.duplicates)

    def get_parameter(self, name):
        """Return a parameter of the aggregator."""
        params = self.aggregator.get_params()
        return params[name] if name in params else super().get_parameter(name)

    def set_parameter(self, name, value):
        """Change a parameter of the aggregator."""
        if name in self.aggregator.get_params():
            self.aggregator.set_params(**{name: value})
        else:
            super().set_parameter(name, value)

    def subtransformers(self):
        """Return the retrievers, which PyTerrier shows in its diagrams."""
        return {} if self.retrievers is None else {"retrievers": list(self.retrievers.values())}

    def __repr__(self):
        retrievers = "" if self.retrievers is None else f", {self.retrievers!r}"
        return f"as_pyterrier({self.aggregator!r}{retrievers})"

    def _rows(self, inp):
        """Return a frame with a row for each document of each list, and with the columns qid, docno and voter."""
        if self.retrievers is not None:
            found = {name: one.transform(inp.copy()) for name, one in self.retrievers.items()}
            for name, rows in found.items():
                missing = [column for column in _KEYS if column not in rows]
                if missing or not {"score", "rank"} & set(rows.columns):
                    raise InputError(
                        f"Each retriever must return the columns qid, docno and score; {name!r} returns "
                        f"{list(rows.columns)}. Pass only retrievers, not transformers that rewrite queries or "
                        "documents."
                    )
            held = {name: rows for name, rows in found.items() if len(rows)} or found
            return pd.concat([rows.assign(voter=name) for name, rows in held.items()], ignore_index=True)
        try:
            with pt.validate.any(inp, context=self) as check:
                check.columns(includes=[*_KEYS, "voter", "score"], mode="voter")
                check.columns(includes=[*_KEYS, "features"], mode="features")
                check.columns(includes=[*_KEYS, "voter", "rank"], mode="ranks")
        except pt.validate.InputValidationError as error:
            raise pt.validate.InputValidationError(
                "The input of as_pyterrier must have the columns qid, docno, score and voter, or qid, docno and "
                f"features; got {list(inp.columns)}. To merge retrievers, pass them: as_pyterrier(aggregator, "
                "[bm25, dense]).",
                error.modes,
            ) from None
        return inp if "voter" in inp else _rows_of_features(inp)

    def _encode(self, rows):
        if not len(rows):
            raise InputError("The retrievers must return at least one document; got none. Check the queries.")
        scored = "score" in rows and ("rank" not in rows or rows["score"].notna().all())
        return RankedLists.from_frame(
            rows[[*_KEYS, "voter", "score" if scored else "rank"]],
            query="qid",
            item="docno",
            voter="voter",
            duplicates=self.duplicates,
        )


def _rows_of_features(frame):
    """Return a row for each document and feature; the voter of a row is the number of its feature, counted from 1."""
    frame = frame.drop(columns=["score", "rank"], errors="ignore")
    if not len(frame):
        return frame.assign(voter=pd.Series(dtype=int), score=pd.Series(dtype=float))
    values = np.stack(frame["features"].to_list())
    rows = [frame.assign(voter=k + 1, score=values[:, k]) for k in range(values.shape[1])]
    return pd.concat(rows, ignore_index=True).dropna(subset="score")


def _first_values(rows):
    """Return a row for each query and document; the other columns are from the first list with the document."""
    found = rows[_KEYS].drop_duplicates(ignore_index=True)
    for name in rows.columns.drop([*_KEYS, "voter", "score", "rank", "features"], errors="ignore"):
        values = rows.loc[rows[name].notna(), [*_KEYS, name]]
        if name == "docid" and values.drop_duplicates(["docno", name])["docno"].duplicated().any():
            continue  # several indexes number documents differently
        found = found.merge(values.drop_duplicates(_KEYS), on=_KEYS, how="left")
    return found


def _in_order(others):
    """Return the names of the columns in PyTerrier's order, which begins with the columns of the query."""
    of_query = [name for name in others if name.startswith("q")]
    return ["qid", *of_query, "docno", *(name for name in others if name not in of_query)]


def _to_pandas(frame):
    return frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
