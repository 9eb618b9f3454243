"""Each format reads its golden file, by its beginning and by its name, and reads back what it writes."""

import pytest
from pandas.testing import assert_frame_equal

from golden_files import FILES, RUN
from skrankagg.datasets import read_lists, write_run
from skrankagg.datasets._formats import FORMATS, readable, written
from skrankagg.datasets._kinds import LISTS, QRELS

pytestmark = pytest.mark.twice


def test_every_format_has_a_golden_file():
    assert [name for name, *_ in FILES] == [one.name for one in readable(LISTS)]


def test_each_name_and_suffix_belongs_to_one_format():
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    suffixes = [suffix for one in FORMATS for suffix in one.suffixes]
    assert len(set(suffixes)) == len(suffixes) and all(suffix.startswith(".") for suffix in suffixes)


@pytest.mark.parametrize(("name", "file", "frame"), FILES, ids=[name for name, *_ in FILES])
def test_read_lists_reads_the_golden_file_of_each_format(tmp_path, name, file, frame):
    path = tmp_path / "lists"
    path.write_bytes(file() if callable(file) else file)
    assert_frame_equal(read_lists(path), frame)
    assert_frame_equal(read_lists(path, format=name), frame)


@pytest.mark.parametrize("format", written(), ids=lambda one: one.name)
def test_written_files_read_back_equal(tmp_path, format):
    if format.name == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    path = tmp_path / f"run{format.suffixes[0] if format.suffixes else ''}"
    write_run(RUN, path, format="auto" if format.suffixes else format.name)
    if format not in readable(LISTS):
        assert path.read_text(encoding="utf-8") == "1: b > a\n2: b\n"
        return
    found = read_lists(path)
    columns = [name for name in RUN if name in found]
    assert set(RUN) - set(columns) <= (set() if format.has_ranks else {"rank"})
    assert_frame_equal(found[columns], RUN[columns])


def test_each_format_describes_its_content():
    for one in FORMATS:
        assert set(one.holds) <= {"lists", "qrels", "run"} and ("run" in one.holds) == (one.write is not None)
        assert (one in readable(LISTS) or one in readable(QRELS)) == (one.sniff is not None)
