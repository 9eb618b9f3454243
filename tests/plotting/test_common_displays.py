"""Checks of every display: its example shows data, labels and a description, and its picture is committed.

The displays are those of `skrankagg.plotting`, so a new one needs no test of its own for these.
"""

import inspect
import re
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from numpydoc.docscrape import ClassDoc
from pandas.api.types import is_bool_dtype, is_numeric_dtype

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


def square(frame):
    return frame.shape[0] == frame.shape[1] and frame.index.equals(frame.columns)


def without_numbers(value):
    """Replace the numbers of a frame or a series by NaN."""
    if isinstance(value, pd.Series):
        return value.astype(float) * np.nan
    if not isinstance(value, pd.DataFrame):
        return value
    value = value.copy()
    for name in value:
        if is_bool_dtype(value[name]):
            value[name] = pd.array([pd.NA] * len(value), dtype="boolean")
        elif is_numeric_dtype(value[name]):
            value[name] = np.nan
    return value


def without_rows(value):
    """Remove the rows of a frame or a series, and the columns of a square frame."""
    return value.iloc[:0, :0] if isinstance(value, pd.DataFrame) and square(value) else value.iloc[:0]


@pytest.mark.parametrize("without", ["numbers", "rows"])
def test_display_without_numbers_explains_why(plt, examples, name, without):
    example = examples(name)
    assert example._reason() == "", f"{name}._reason must return an empty text if there are numbers."
    values = {one.name: without_numbers(getattr(example, one.name)) for one in fields(example)}
    first = fields(example)[0].name
    if not isinstance(values[first], pd.DataFrame | pd.Series):
        assert name == "CriticalDifferenceDisplay", f"The first field of {name} must be a frame or a series."
        return  # its tests raise an error if there are no numbers
    if without == "rows":
        values[first] = without_rows(values[first])
    display = CLASSES[name](**values).plot()
    reason = display._reason()
    assert reason.endswith(".") and len(reason.split()) > 3, f"{name}._reason must return a sentence; got {reason!r}."
    display.figure_.draw_without_rendering()
    [text] = [one for one in display.ax_.texts if one.get_text().replace("\n", " ") == reason]
    box, page = text.get_window_extent(), display.figure_.bbox
    assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
    assert {one for one in vars(display) if one.endswith("_")} == attributes(name)
    words = " ".join(one.get_text() for one in display.figure_.findobj(plt.Text))
    assert not re.search(r"\bnan\b", words), f"The plot of {name} must not show NaN; got {words}."


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
