"""Lines end at line feeds and carriage returns only: other characters at which Python ends lines belong to ids."""

import gzip

import pytest

from skrankagg.datasets import read_lists, read_preflib, read_qrels, write_run

# str.splitlines() splits at these characters, and str.split() and str.strip() treat some as blanks; readers must not.
SEPARATORS = ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u2028", "\u2029", "\u3000"]
NAMES = ["KV\u00c3{}LSVOLL", "{}"]

pytestmark = [
    pytest.mark.parametrize("name", NAMES),
    pytest.mark.parametrize("separator", SEPARATORS, ids=ascii),
    pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=ascii),
]


@pytest.fixture
def item(name, separator):
    return name.replace("{}", separator)


@pytest.fixture
def read(tmp_path, end):
    """Return a function that writes text with the line ends of a system and reads it."""

    def written_and_read(reader, text, pack=False, **options):
        path = tmp_path / "file.toi"
        data = text.replace("\n", end).encode()
        path.write_bytes(gzip.compress(data) if pack else data)
        return reader(path, **options)

    return written_and_read


@pytest.mark.sampled(21)
@pytest.mark.parametrize("columns", ["auto", "named"])
@pytest.mark.parametrize("mark", [",", "\t", "quoted"], ids=["csv", "tsv", "quoted"])
def test_read_lists_splits_tables_only_at_line_feeds_and_carriage_returns(read, item, mark, columns):
    pack = mark == "quoted"
    shown, mark = (f'"{item}"', ",") if mark == "quoted" else (item, mark)
    header, *rows = (
        mark.join(fields)
        for fields in [("query", "item", "voter", "score"), (shown, shown, shown, "2"), (shown, "b", shown, "1")]
    )
    if columns == "named" and mark == ",":
        lists = read(read_lists, "\n".join(rows), pack, columns=["query", "item", "voter", "score"])
    else:
        lists = read(read_lists, "\n".join([header, *rows]), pack)
    assert lists["item"].tolist() == [item, "b"]
    assert lists["query"].tolist() == lists["voter"].tolist() == [item] * 2
    assert lists["score"].tolist() == [2.0, 1.0]


@pytest.mark.sampled(18)
def test_readers_split_flagr_files_only_at_line_feeds_and_carriage_returns(read, item):
    lists = read(read_lists, f"q,{item},{item},2,s{item}\nq,{item},b,1,\n")
    assert lists["item"].tolist() == [item, "b"] and lists["voter"].tolist() == [item] * 2
    qrels = read(read_qrels, f"q,0,{item},2\nq,0,b,1\n")
    assert qrels["item"].tolist() == [item, "b"]


@pytest.mark.sampled(11)
@pytest.mark.parametrize("blank", [" ", "\t"])
def test_readers_split_trec_files_only_at_line_feeds_and_carriage_returns(read, item, blank):
    lists = read(read_lists, blank.join(["q", "Q0", item, "1", "2.5", item]) + f"\nq Q0 b 2 1.5 {item}\n")
    assert lists["item"].tolist() == [item, "b"] and lists["voter"].tolist() == [item] * 2
    qrels = read(read_qrels, blank.join(["q", "0", item, "1"]) + f"\n{item} 0 b 2\n")
    assert qrels["item"].tolist() == [item, "b"] and qrels["query"].tolist() == ["q", item]


@pytest.mark.sampled(50)
@pytest.mark.parametrize("header", ["new", "old"])
def test_read_preflib_splits_only_at_line_feeds_and_carriage_returns(read, item, header):
    if header == "new":
        start = f"# NUMBER ALTERNATIVES: 2\n# TITLE: {item}\n# ALTERNATIVE NAME 1: {item}\n# ALTERNATIVE NAME 2: b\n"
        text = start + "3: 1,2\n2: 2\n"
    else:
        text = f"2\n1,{item}\n2,b\n5,5,2\n3,1,2\n2,2\n"
    lists, alternatives = read(read_preflib, text, return_alternatives=True)
    assert alternatives["name"].tolist() == [item, "b"]
    assert lists["item"].tolist() == [item, "b", "b"]
    assert lists["weight"].tolist() == [3.0, 3.0, 2.0]


@pytest.mark.sampled(3)
def test_write_run_and_read_lists_keep_other_line_separators(tmp_path, read, item, end):
    lists = read(read_lists, f"query,item,score,rank\nq,{item},2,1\nq,b,1,2\n")
    for suffix in ("csv", "tsv", "csv.gz"):
        write_run(lists.assign(query=item), tmp_path / f"run.{suffix}")
        again = read_lists(tmp_path / f"run.{suffix}")
        assert again["item"].tolist() == [item, "b"] and again["query"].tolist() == [item] * 2
