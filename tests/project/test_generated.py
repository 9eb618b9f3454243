"""Generated parts are up to date, and methods declare all that these parts need."""

import pytest
from generated import catalogue, guide

import regenerate
from skrankagg import MarkovChain
from skrankagg.utils.discovery import all_aggregators

METHODS = all_aggregators().items()


@pytest.mark.parametrize("part", regenerate.PARTS)
def test_generated_files_are_up_to_date(part):
    complaint = regenerate.complaint(part)
    assert not complaint, complaint


def test_regenerate_check_writes_nothing_and_names_each_stale_file(monkeypatch, capsys):
    folder = regenerate.ROOT / "docs" / "elsewhere"
    monkeypatch.setattr(regenerate, "PARTS", ("names", "catalogue"))
    assert regenerate.main(["--check"]) == 0 and capsys.readouterr().err == ""
    monkeypatch.setattr(catalogue, "FOLDER", folder)
    assert regenerate.main(["--check"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "docs/elsewhere/methods.txt, docs/elsewhere/measures.txt" in err
    assert "python tools/regenerate.py" in err and not folder.exists()


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_methods_declare_the_entries_of_the_guide_tables(name, method):
    declared = method._declared("_guide")
    assert set(declared) == {"absent", "ties", "cost"}, (
        f"{name} must declare what the guide says of it; got {declared}. Declare _guide = "
        "{'absent': 'what an absent item gets', 'ties': 'what tied items get', 'cost': '$N$'}."
    )


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_tag_notes_explain_tags_that_parameters_change(name, method):
    given = {"aggregator": MarkovChain(chain="mct")}
    others = [
        *getattr(method, "_variants", ()),
        {key: given[key] for key in given if key in method().get_params(False)},
    ]
    notes = method._declared("_tag_notes")
    default = guide.properties(method())
    for params in others:
        found = guide.properties(method(**params))
        for column, tag in guide.COLUMNS.items():
            assert found[column] == default[column] or tag in notes, (
                f"{name} must declare _tag_notes = {{{tag!r}: ...}}"
            )
        below = "absent_below" in notes or "absent" in params
        assert below or method(**params).__sklearn_tags__().aggregator_tags.absent_below == guide.is_below(method())
