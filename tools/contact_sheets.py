"""Pictures of all pages of the documentation on sheets, so that a person can look at every page.

A page that is longer than the window takes several pictures, from top to bottom. A sheet has at most eight pictures.
The command needs Chromium, and a build of the documentation:

    python tools/contact_sheets.py docs/_build sheets --width 390 --theme dark "user_guide/*" "notebooks/*"
"""

import argparse
import io
from pathlib import Path

from browser import Browser, find_browser, pages
from PIL import Image, ImageDraw

#: Height of the window, columns and rows of a sheet, and scale of a picture, by the width of the window.
LAYOUTS = {1440: (1500, 3, 2, 0.3), 390: (2200, 8, 1, 0.42)}
MARGIN, LABEL = 4, 12


def pictures(browser, page, width, theme, height, scale):
    """Yield the pictures of a page from top to bottom."""
    browser.open(page, width, height, theme)
    step = height - 80  # the header stays at the top of the window
    rest = browser.run("document.documentElement.scrollHeight") - height - 60
    for top in range(0, max(0, rest) + step, step):
        browser.run(f"scrollTo({{top: {top}, behavior: 'instant'}})")
        yield Image.open(io.BytesIO(browser.picture(scale)))


def write_sheets(site, folder, patterns, width, theme):
    """Write the sheets as PNG files; return the number of sheets."""
    height, columns, rows, scale = LAYOUTS[width]
    size = columns * rows
    folder.mkdir(parents=True, exist_ok=True)
    cells, count = [], 0
    with Browser(find_browser()) as browser:
        for name, path in pages(site, patterns).items():
            made = pictures(browser, path, width, theme, height, scale)
            cells += [(f"{name.removesuffix('.html')} {number}", picture) for number, picture in enumerate(made, 1)]
            while len(cells) >= size:
                count += 1
                sheet(cells[:size], columns).save(folder / f"{width}_{theme}_{count:03d}.png")
                del cells[:size]
    if cells:
        count += 1
        sheet(cells, columns).save(folder / f"{width}_{theme}_{count:03d}.png")
    return count


def sheet(cells, columns):
    """Return one sheet of labelled pictures."""
    wide, high = (max(picture.size[axis] for _, picture in cells) for axis in (0, 1))
    rows = -(-len(cells) // columns)
    made = Image.new("RGB", (columns * (wide + MARGIN), rows * (high + MARGIN + LABEL)), "#888888")
    draw = ImageDraw.Draw(made)
    for number, (label, picture) in enumerate(cells):
        left, top = number % columns * (wide + MARGIN), number // columns * (high + MARGIN + LABEL)
        draw.text((left + 2, top + 1), label[-wide // 6 :], fill="black")
        made.paste(picture, (left, top + LABEL))
    return made


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", type=Path, help="folder of the built documentation")
    parser.add_argument("folder", type=Path, help="folder for the sheets")
    parser.add_argument("pages", nargs="*", default=["*"], help='such as "user_guide/*"; without it, all pages')
    parser.add_argument("--width", type=int, choices=LAYOUTS, default=1440, help="width of the window in pixels")
    parser.add_argument("--theme", choices=["light", "dark"], default="light", help="colours of the pages")
    given = parser.parse_args()
    count = write_sheets(given.site, given.folder, given.pages, given.width, given.theme)
    print(f"{count} sheets in {given.folder}")


if __name__ == "__main__":
    main()
