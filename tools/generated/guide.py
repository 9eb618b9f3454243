"""The guide's tables of all methods: absent items, promised properties, ties and costs.

The tables are generated from the tags of the methods and from two attributes. `_guide` is declared beside the formula
of a method. `_tag_notes` names the parameters that change a tag.
"""

from skrankagg.utils.discovery import all_aggregators

from .pages import DOCS, table, with_part

LISTS, CHOOSING = DOCS / "user_guide" / "your_data.md", DOCS / "user_guide" / "choosing.md"
#: Columns of the table of tags: their tag, in whose note a parameter is named that changes it.
COLUMNS = {
    "scores": "needs_scores",
    "weights": "integer_weights",
    "learns": "learns_weights",
    "unanimity": "unanimity",
    "Condorcet": "condorcet_winner",
    "neutral": "neutral",
    "random": None,
}
WORDS = {True: "yes", False: "no"}


def files():
    """Return the texts of the two pages, by path."""
    methods = all_aggregators()
    choosing = with_part(CHOOSING.read_text(encoding="utf-8"), "tags", tag_table(methods))
    return {
        LISTS: with_part(LISTS.read_text(encoding="utf-8"), "absent", absent_table(methods)),
        CHOOSING: with_part(choosing, "costs", cost_table(methods)),
    }


def properties(method):
    """Return the cells of an estimator in the table of tags, by column."""
    tags = method.__sklearn_tags__().aggregator_tags
    cells = {column: WORDS[getattr(tags, tag)] for column, tag in COLUMNS.items() if tag is not None}
    cells["weights"] = "no" if not tags.voter_weights else "whole" if tags.integer_weights else "any"
    cells["learns"] = "judgements" if tags.supervised else cells["learns"]
    return {**cells, "random": WORDS["random_state" in method.get_params()]}


def absent_table(methods):
    """Return the table on the treatment of absent items."""
    rows = [[f"`{name}`", method._guide["absent"], _below(method)] for name, method in methods.items()]
    return table(["method", "an item that is missing from a list gets", "below the items of the list"], rows)


def _below(method):
    """Return the cell that states whether absent items are below ranked items, with exceptions in brackets."""
    default = is_below(method())
    notes = []
    if "absent" in method().get_params():
        given = method().absent
        if is_below(method(absent="last" if given == "ignore" else "ignore")) != default:
            notes.append('`absent="last"`' if default else 'yes: `absent="last"`')
    if "absent_below" in (declared := method._declared("_tag_notes")):
        notes.append(declared["absent_below"])
    return f"{WORDS[default]} ({'; '.join(notes)})" if notes else WORDS[default]


def is_below(method):
    """Return True if the tag `absent_below` of an estimator is set."""
    return method.__sklearn_tags__().aggregator_tags.absent_below


def tag_table(methods):
    """Return the table of tags, followed by notes on parameters that change an entry."""
    numbers, rows = {}, []
    for name, method in methods.items():
        notes, cells = method._declared("_tag_notes"), properties(method())
        for column, tag in COLUMNS.items():
            if tag in notes:
                number = numbers.setdefault(notes[tag], len(numbers) + 1)
                cells[column] += f" ({number})"
        rows.append([f"`{name}`", *(cells[column] for column in COLUMNS)])
    notes = "\n".join(f"- ({number}) {note}" for note, number in numbers.items())
    return table(["method", *COLUMNS], rows) + f"\nParameters that change an entry:\n\n{notes}\n"


def cost_table(methods):
    """Return the table of ties and costs."""
    rows = [[f"`{name}`", method._guide["ties"], method._guide["cost"]] for name, method in methods.items()]
    return table(["method", "items tied in a list", "time"], rows)
