"""Export of learnt weights to search engines and frameworks that compute the same consensus."""

from .._scores._combinations import CombSUM
from .._scores._rank_decay import ReciprocalRankFusion


def export_weights(aggregator, weights):
    """Convert voter weights to data for ``json.dumps``, with settings for search engines that have the same method.

    The entry `engines` is empty if the aggregator has a `depth` or `voter_weights`, or if a weight is negative, because
    engines do not support these.
    """
    engines = {}
    if all(weight >= 0 for weight in weights.values()) and getattr(aggregator, "voter_weights", None) is None:
        same = isinstance(aggregator, ReciprocalRankFusion) and aggregator.depth is None
        if same and isinstance(aggregator.k, int | float):
            engines = _reciprocal_ranks(aggregator.k, weights)
        elif isinstance(aggregator, CombSUM) and aggregator.absent_score == "zero":
            engines = _sums_of_scores(aggregator.norm, weights)
    return {"aggregator": repr(aggregator), "weights": dict(weights), "engines": engines}


def _reciprocal_ranks(k, weights):
    in_order, shares = list(weights.values()), _shares(weights)
    return {
        "elasticsearch": {
            "rrf": {
                "rank_constant": k,
                "retrievers": [{"retriever": voter, "weight": weight} for voter, weight in weights.items()],
            }
        },
        "opensearch": {
            "combination": {
                "technique": "rrf",
                "rank_constant": k,
                "parameters": {"weights": list(shares.values())},
            }
        },
        "langchain": {"EnsembleRetriever": {"c": k, "weights": in_order}},
        **({"mongodb": {"$rankFusion": {"combination": {"weights": dict(weights)}}}} if k == 60 else {}),
    }


def _sums_of_scores(norm, weights):
    shares = _shares(weights)
    if norm == "min-max":
        engines = {
            "elasticsearch": {
                "linear": {
                    "retrievers": [
                        {"retriever": voter, "weight": weight, "normalizer": "minmax"}
                        for voter, weight in weights.items()
                    ]
                }
            },
            "opensearch": {
                "normalization": {"technique": "min_max"},
                "combination": {"technique": "arithmetic_mean", "parameters": {"weights": list(shares.values())}},
            },
            "llama_index": {
                "QueryFusionRetriever": {"mode": "relative_score", "retriever_weights": list(shares.values())}
            },
        }
        if len(weights) == 2:
            # Weaviate multiplies the second retriever, which uses vectors, by alpha, and the first retriever by 1 -
            # alpha.
            engines["weaviate"] = {"hybrid": {"fusionType": "relativeScoreFusion", "alpha": list(shares.values())[1]}}
        return engines
    if norm is None:
        return {"milvus": {"WeightedRanker": list(shares.values())}}
    return {}


def _shares(weights):
    """Scale weights so that they add up to 1."""
    total = sum(weights.values())
    return {voter: weight / total for voter, weight in weights.items()}
