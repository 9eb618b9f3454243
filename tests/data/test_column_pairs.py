"""RankedLists.from_wide(pairs=True): a table with two columns for each voter, items and their numbers."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from skrankagg import MAIC, RankedLists, RobustRankAggregation
from skrankagg._data._column_pairs import pair_names
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.stats import adjust_pvalues

pytestmark = pytest.mark.twice

NAN = float("nan")
#: A spreadsheet of five studies with different numbers of genes, a gene that occurs twice, and a blank row.
SHEET = """Smith gene,Smith p,Wu gene,Wu p,Lee gene,Lee p,Diaz gene,Diaz p,Rao gene,Rao p
TP53,0.0001,KRAS,0.001,TP53,0.02,EGFR,0.5,TP53,0
KRAS,0.003,TP53,0.002,,,TP53,0.003,MYC,0.04
EGFR,0.2,MYC,0.4,KRAS,0.001,KRAS,0.004,,
TP53,0.6,KRAS,0.9,BRAF,0.3,,,,
MYC,0.05,,,,,,,,
"""
GENES = {
    "Smith": {"TP53": 0.0001, "KRAS": 0.003, "EGFR": 0.2, "MYC": 0.05},
    "Wu": {"KRAS": 0.001, "TP53": 0.002, "MYC": 0.4},
    "Lee": {"TP53": 0.02, "KRAS": 0.001, "BRAF": 0.3},
    "Diaz": {"EGFR": 0.5, "TP53": 0.003, "KRAS": 0.004},
    "Rao": {"TP53": 0.0, "MYC": 0.04},
}
EXPECTED = RankedLists.from_lists(GENES, lower_is_better=True)


def read(sheet=SHEET, **options):
    return pd.read_csv(io.StringIO(sheet), **options)


def encode(table, **options):
    return RankedLists.from_wide(table, pairs=True, lower_is_better=True, duplicates="best", **options)


def test_a_spreadsheet_of_pairs_of_unequal_length_gives_robust_ranks_with_false_discovery_rates_and_maic():
    lists = encode(read())
    assert lists.equals(EXPECTED)
    tested = adjust_pvalues(RobustRankAggregation(n_items=20_000).fit_transform(lists), "bh", n_tests=20_000)
    assert tested["item"].tolist()[:2] == ["TP53", "KRAS"]
    rates = false_discovery_control([*tested["pvalue"], *[1.0] * (20_000 - len(tested))])
    assert tested["adjusted"].to_numpy() == pytest.approx(rates[: len(tested)], rel=1e-9)
    assert MAIC().fit_transform(lists)["item"].tolist()[0] == "TP53"


@pytest.mark.parametrize(
    ("duplicates", "expected"),
    [("best", {"a": -0.1, "b": -0.2}), ("first", {"a": -0.5, "b": -0.2}), ("mean", {"a": -0.3, "b": -0.2})],
)
def test_an_item_of_two_rows_is_resolved_as_requested(duplicates, expected):
    table = pd.DataFrame({"v gene": ["a", "b", "a"], "v p": [0.5, 0.2, 0.1]})
    lists = RankedLists.from_wide(table, pairs=True, lower_is_better=True, duplicates=duplicates)
    found = lists.to_runs()["v"]["q"]
    assert found == pytest.approx(expected)
    with pytest.raises(InputError, match=r"item 'a' of voter 'v'\)\. Pass duplicates='first', 'best' or 'mean'"):
        RankedLists.from_wide(table, pairs=True, lower_is_better=True)


def test_one_declaration_of_the_direction_applies_to_all_or_to_some_voters():
    table = pd.DataFrame({"p gene": ["a", "b"], "p": [0.1, 0.2], "fold gene": ["a", "b"], "fold": [1.5, 3.0]})
    assert pair_names(list(table)) == ["p", "fold"]
    lists = RankedLists.from_wide(table, pairs=True, lower_is_better=["p"])
    assert lists.to_runs() == {"p": {"q": {"a": -0.1, "b": -0.2}}, "fold": {"q": {"b": 3.0, "a": 1.5}}}
    scores = RankedLists.from_wide(table, pairs=True, lower_is_better=False)
    assert scores.to_runs()["p"] == {"q": {"b": 0.2, "a": 0.1}}
    with pytest.raises(InputError, match=r"must be given if pairs=True; got none\. Pass True for p-values, False for"):
        RankedLists.from_wide(table, pairs=True)
    with pytest.raises(InputError, match="names 'P', which is not a voter"):
        RankedLists.from_wide(table, pairs=True, lower_is_better=["P"])


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["Smith gene", "Smith p", "Wu gene", "Wu p"], ["Smith", "Wu"]),
        (["Smith_2019_gene", "Smith_2019_p", "Wu-gene", "Wu-p"], ["Smith_2019", "Wu"]),
        (["gene Smith", "p Smith", "gene Wu", "p Wu"], ["Smith", "Wu"]),
        (["gene (Smith 2019)", "p (Smith 2019)", "gene (Wu)", "p (Wu)"], ["Smith 2019", "Wu"]),
        (["Smith (2019) gene", "Smith (2019) p", "Wu: gene", "Wu: p"], ["Smith (2019)", "Wu"]),
        (["Smith", "Smith p", "Wu", "Wu p"], ["Smith", "Wu"]),
        (["Smith", "Smith", "Wu", "Wu"], ["Smith", "Wu"]),
        (["Smith", "p", "Wu", "p.1"], ["Smith", "Wu"]),
        (["Smith", "Unnamed: 1", "Wu", "Unnamed: 3"], ["Smith", "Wu"]),
        (["Smith", "p Smith's", "Wu", "q"], ["Smith", "Wu"]),
        (["gene", "p", "gene.1", "p.1", "gene.2", "p.2"], [1, 2, 3]),
        (["gene", "p", "gene", "p"], [1, 2]),
        (["the gene", "the p", "the other", "the q"], ["the gene", "the other"]),
        ([("Smith", "gene"), ("Smith", "p"), ("Wu", "gene"), ("Wu", "p")], ["Smith", "Wu"]),
        ([("A", "Wu", "gene"), ("A", "Wu", "p"), ("B", "Wu", "g"), ("B", "Wu", "p")], [("A", "Wu"), ("B", "Wu")]),
        ([0, 1, 2, 3], [0, 2]),
    ],
)  # fmt: skip
def test_voters_are_named_by_the_titles_of_their_pair(titles, names):
    assert pair_names(titles) == names
    columns = pd.MultiIndex.from_tuples(titles) if isinstance(titles[0], tuple) else titles
    table = pd.DataFrame([["a", 1.0] * len(names)], columns=columns)
    lists = RankedLists.from_wide(table, pairs=True, lower_is_better=False)
    assert set(lists.voters) == set(names) and lists.n_rows == len(names)


@given(
    data=st.lists(
        st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.5, 1.0]) | st.floats(-9, 9), min_size=1),
        min_size=1,
        max_size=5,
    ),
    lower=st.booleans(),
    blanks=st.integers(0, 2),
)
@settings(max_examples=60, deadline=None)
def test_pairs_equal_a_dict_of_dicts(data, lower, blanks):
    named = {f"study {k}": one for k, one in enumerate(data)}
    length = max(map(len, data)) + blanks
    table = {}
    for name, one in named.items():
        padding = [None] * blanks  # blank rows before the items, and after them
        items = [*padding, *one, *[None] * (length - blanks - len(one))]
        table[f"{name} gene"] = items
        table[f"{name} p"] = [one.get(item, NAN) for item in items]
    expected = RankedLists.from_lists(named, lower_is_better=lower)
    assert RankedLists.from_wide(pd.DataFrame(table), pairs=True, lower_is_better=lower).equals(expected)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_pairs_of_other_libraries(library):
    module = pytest.importorskip(library, reason="another library of frames")
    columns = {
        name: [None if pd.isna(one) else one for one in values] for name, values in read().to_dict("list").items()
    }
    table = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    assert encode(table).equals(EXPECTED)


def test_ids_that_are_integers_stay_integers():
    table = pd.DataFrame(
        {"u id": [7157, 3845, 4609], "u p": [0.1, 0.2, 0.3], "v id": [7157, NAN, NAN], "v p": [0.5, NAN, NAN]}
    )
    assert encode(table).items.tolist() == [3845, 4609, 7157] and encode(table).items.dtype == np.int64
    nullable = table.astype({"v id": "Int64"})
    assert encode(nullable).items.tolist() == [3845, 4609, 7157]


def test_text_numbers_of_the_type_object_are_read():
    table = pd.DataFrame({"u": ["a", "b", None], "p": pd.Series([0.5, 1, None], dtype=object)})
    assert encode(table).to_runs() == {"u": {"q": {"a": -0.5, "b": -1.0}}}


def test_weights_query_and_blanks_are_options_as_for_single_columns():
    table = pd.DataFrame({"u gene": ["a ", "b"], "u p": [0.1, 0.2], "v gene": ["a", None], "v p": [0.3, None]})
    lists = encode(table, strip=True, query="glioma", weights={"u": 2.0, "v": 1.0})
    assert lists.to_runs() == {"u": {"glioma": {"a": -0.1, "b": -0.2}}, "v": {"glioma": {"a": -0.3}}}
    assert lists.list_weight.tolist() == [2.0, 1.0]


MISSING_NUMBER = pd.DataFrame({"u gene": ["a", "b", None], "u p": [0.1, NAN, NAN]})
MISSING_ITEM = pd.DataFrame({"u gene": ["a", None], "u p": [0.1, 0.2]})


def test_items_without_numbers_and_numbers_without_items_are_left_out_only_on_request():
    with pytest.raises(
        InputError, match=r"1 items of voter 'u' have none, the first in row 1\. Pass missing_ids='drop'"
    ):
        encode(MISSING_NUMBER)
    with pytest.raises(InputError, match=r"1 have None or NaN\. Pass missing_ids='drop'"):
        encode(MISSING_ITEM)
    for table in (MISSING_NUMBER, MISSING_ITEM):
        assert encode(table, missing_ids="drop").to_runs() == {"u": {"q": {"a": -0.1}}}


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        (
            read().iloc[:, :9],
            InputError,
            r"two columns for each voter: the items, then their numbers; got 9 columns\. Drop",
        ),
        (read().iloc[:, :1], InputError, r"got 1 column\. Drop other columns"),
        (read().iloc[:, :0], InputError, "got 0 columns"),
        (read().iloc[:0], InputError, "must have at least one item with a number; got none"),
        (pd.DataFrame({"p": [0.1, np.nan], "u": ["a", np.nan]}), InputError, "Swap the two columns of each pair"),
        (
            read()[["Smith p", "Smith gene"]],
            InputError,
            r"the items of voter 'Smith' before their numbers; column 'Smith p' has numbers, and column",
        ),
        (
            pd.DataFrame({"u": ["a", "b"], "p": ["0.1", "<0.001"]}),
            InputError,
            r"Column 'p' of .* must have the numbers of the items in column 'u'; its dtype is .*pandas\.to_numeric",
        ),
        (
            pd.DataFrame({"u": [101, 102], "p": ["0.1", "<0.001"]}),
            InputError,
            r"Column 'p' of .* must have the numbers of the items in column 'u'; its dtype is .*pandas\.to_numeric",
        ),
        (
            pd.DataFrame({"u": [101, 102], "p": pd.Series([10**400, "x"], dtype=object)}),
            InputError,
            r"Column 'p' of .* pandas\.to_numeric",
        ),
        (pd.DataFrame({"u": ["a"], "p": [True]}), InputError, r"Column 'p' of .* its dtype is bool"),
        (pd.DataFrame({"u": ["a"], "p": [np.inf]}), InputError, "must be finite; item 'a' of voter 'u' has"),
        ([["a", 0.1]], InputTypeError, "must be a data frame"),
    ],
)
def test_other_tables_are_refused_in_one_sentence(table, error, words):
    with pytest.raises(error, match=words):
        encode(table)


@pytest.mark.parametrize("duplicates", ["error", "first", "best", "mean"])
def test_a_categorical_column_may_have_one_category(duplicates):
    table = pd.DataFrame({"u": pd.Categorical(["a", "a"][: 1 + (duplicates != "error")])})
    table["p"] = 0.25
    lists = RankedLists.from_wide(table, pairs=True, lower_is_better=True, duplicates=duplicates)
    assert lists.to_runs() == {"u": {"q": {"a": -0.25}}}


def test_options_of_pairs_need_pairs():
    table = pd.DataFrame({"u": ["a"], "v": ["b"]})
    with pytest.raises(InputError, match=r"must be given only with pairs=True, .*; got True\. Leave it out, or pass"):
        RankedLists.from_wide(table, lower_is_better=True)
    with pytest.raises((InputError, InputTypeError), match="`pairs` must be"):
        RankedLists.from_wide(table, pairs="yes", lower_is_better=True)
    with pytest.raises(InputError, match="`missing_ids` must be"):
        RankedLists.from_wide(MISSING_ITEM, pairs=True, lower_is_better=True, missing_ids="skip")


def test_from_wide_recognises_pairs_of_columns_and_names_the_options():
    sheet = pd.DataFrame({"gene": ["a", "b"], "p": [0.1, 0.2], "gene.1": ["b", None], "p.1": [0.01, np.nan]})
    with pytest.raises(
        InputError,
        match=r"its columns \['gene', 'p', 'gene\.1', 'p\.1'\] look like pairs .* Pass pairs=True and lower_is",
    ):
        RankedLists.from_wide(sheet)
    assert RankedLists.from_wide(sheet, pairs=True, lower_is_better=True).n_lists == 2
    ids = pd.DataFrame({"u": [1, 2], "v": [2, 1]})  # numbers may be ids
    assert RankedLists.from_wide(ids).n_lists == 2
