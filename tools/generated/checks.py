"""Generate the tables of docs/samples_are_queries.md: the checks of scikit-learn, and the checks of this library."""

from skrankagg.utils._checks._aggregators import AGGREGATOR_CHECKS
from skrankagg.utils._checks._common import COMMON_CHECKS
from skrankagg.utils._checks._learning import JUDGED_AGGREGATOR_CHECKS, JUDGED_CHECKS
from skrankagg.utils._checks._scikit_learn import EXEMPTIONS, SKLEARN_CHECKS
from skrankagg.utils._checks._transformers import TRANSFORMER_CHECKS
from skrankagg.utils.discovery import describe

from .pages import DOCS, table, with_part

PAGE = DOCS / "samples_are_queries.md"

#: The checks of the library, by the estimators to which they apply.
OWN = {
    "all": COMMON_CHECKS,
    "aggregators": AGGREGATOR_CHECKS,
    "list transformers": TRANSFORMER_CHECKS,
    "all that learn from judgements": JUDGED_CHECKS,
    "aggregators that learn from judgements": JUDGED_AGGREGATOR_CHECKS,
}


def files():
    """Return the text of the page, by path."""
    theirs = [(f"`{name}`", "passes", "") for name in sorted(SKLEARN_CHECKS)]
    theirs += [(f"`{name}`", "not applicable", _marked(reason)) for name, reason in sorted(EXEMPTIONS.items())]
    ours = [(f"`{check.__name__}`", kind, _marked(describe(check))) for kind, checks in OWN.items() for check in checks]
    text = PAGE.read_text(encoding="utf-8")
    text = with_part(text, "checks of scikit-learn", table(("check of scikit-learn", "outcome", "reason"), theirs))
    return {PAGE: with_part(text, "checks of skrankagg", table(("check", "for", "what it does"), ours))}


def _marked(text):
    """Write names of checks as code, and literals of reST as literals of Markdown."""
    words = [f"`{word}`" if word.rstrip(",").startswith("check_") else word for word in text.replace("``", "`").split()]
    return " ".join(words).replace(",`", "`,")
