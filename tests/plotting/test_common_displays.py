"""Checks of every display: its example shows data, labels and a description, and its picture is committed.

The displays are those of `skrankagg.plotting`, so a new one needs no test of its own for these.
"""

import inspect
import re
from dataclasses import fields

import numpy as np
import pytest
from numpydoc.docscrape import ClassDoc

from skrankagg import CombSUM, Comparator, plotting
from skrankagg.exceptions import InputError
from skrankagg.plotting._display import Display

CLASSES = {name: getattr(plotting, name) for name in plotting.__all__ if inspect.isclass(getattr(plotting, name))}
DISPLAYS = [name for name, one in CLASSES.items() if issubclass(one, Display) or name.endswith("Display")]
pytestmark = pytest.mark.parametrize("name", DISPLAYS)


@pytest.fixture(scope="module")
def examples(display_plots):
    """Draw each example once, when it is first needed."""
    drawn = {}

    def example(name):
        if name not in drawn:
            drawn[name] = display_plots.example(name)
        return drawn[name]

    return example


def constructors(name):
    return {maker: getattr(CLASSES[name], maker) for maker in dir(CLASSES[name]) if maker.startswith("from_")}


def attributes(name):
    return {one.name for one in ClassDoc(CLASSES[name])["Attributes"] if one.name.endswith("_")}


def pixels(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())


def test_display_is_a_dataclass_with_constructors(name):
    display = CLASSES[name]
    assert name.endswith("Display") and issubclass(display, Display), f"{name} must derive from Display."
    assert [one.name for one in fields(display)] == list(inspect.signature(display).parameters)
    assert constructors(name), f"{name} must have a constructor from_... that computes its values."
    for maker, function in constructors(name).items():
        assert inspect.signature(function).parameters["ax"].default is None, f"{name}.{maker} must accept ax=None."


def test_example_sets_the_documented_attributes(plt, examples, name):
    display = examples(name)
    assert type(display) is CLASSES[name], f"The constructor of {name} must return the display; got {display!r}."
    assert display.ax_ in display.figure_.axes
    found = {one for one in vars(display) if one.endswith("_")}
    assert found == attributes(name) > {"ax_", "figure_"}, f"{name} must document the attributes that it sets."


def test_example_shows_data(plt, examples, name):
    display = examples(name)
    full = pixels(display.figure_)
    display.figure_.set_layout_engine("none")
    ax = display.ax_
    data = [one for one in (*ax.lines, *ax.patches, *ax.collections, *ax.images) if one.get_visible()]
    for one in data:
        one.set_visible(False)
    share = (pixels(display.figure_) != full).any(axis=2).mean()
    for one in data:
        one.set_visible(True)
    assert share > 0.002, (
        f"{name} must draw its values on its axes; got {len(data)} artists on {share:.2%} of the pixels."
    )


def test_example_labels_axes_with_numbers(plt, examples, name):
    figure = examples(name).figure_
    figure.draw_without_rendering()
    for ax in figure.findobj(lambda artist: hasattr(artist, "get_xaxis")):
        if not ax.axison:
            assert ax.get_title(), f"Axes of {name} without ticks must have a title."
            continue
        for axis in (ax.xaxis, ax.yaxis):
            ticks = [text.get_text() for text in axis.get_ticklabels() if text.get_visible()]
            if any(re.match(r"[-\u2212]?\.?\d", tick) for tick in ticks):
                assert axis.label.get_text(), f"{name} must label the axis with the ticks {', '.join(ticks)}."


def test_example_and_plot_draw_on_the_given_axes(plt, display_plots, examples, name):
    figure, (one, other) = plt.subplots(1, 2)
    display = display_plots.example(name, ax=one)
    assert display.ax_ is one and display.figure_ is figure, f"The constructor of {name} must draw on ax=."
    assert display.plot(ax=other) is display and display.ax_ is other and other.has_data()
    assert display.plot().figure_ is not figure, f"{name}.plot must make a new figure without ax=."


def test_from_comparator_rejects_an_unfitted_one(name):
    if "from_comparator" in constructors(name):
        maker = CLASSES[name].from_comparator
        required = [one for one in inspect.signature(maker).parameters.values() if one.default is one.empty]
        given = ["x" for one in required[1:] if one.kind is not one.VAR_KEYWORD]
        with pytest.raises(InputError, match=rf"`comparator` of {name} must be fitted\. Call its fit\(lists\) first\."):
            maker(Comparator([("sum", CombSUM())]), *given)


def test_picture_is_committed_described_and_up_to_date(plt, display_plots, examples, name):
    image = pytest.importorskip("PIL.Image")
    advice = f"Run python tools/regenerate.py --pictures {name}."
    words = CLASSES[name]._alt
    assert len(words) > 40 and not words.endswith("."), (
        f"{name} must describe its picture in _alt, without a full stop."
    )
    path = display_plots.FOLDER / f"{name}.png"
    assert path.exists(), f"{name} must have a committed picture. {advice}"
    figure = examples(name).figure_
    size = figure.get_size_inches() * display_plots.DPI
    assert np.abs(display_plots.pixels_of(path) - size).max() <= 1, f"The picture of {name} has another size. {advice}"
    with image.open(path) as picture:
        written = picture.info["Description"]
    assert written == display_plots.texts(figure), f"The picture of {name} has other texts. {advice}"
