"""Faults that a browser finds on the pages of the documentation: pages that scroll sideways, cut formulas, pale text.

python tools/page_faults.py docs/_build
"""

import argparse
from pathlib import Path

from browser import Browser, find_browser, pages

__all__ = ["CHECKS", "faults"]

#: Pixels by which the page or its article is wider than the window, with elements that end beyond the window.
SIDEWAYS = """(() => {
  const boxes = [document.documentElement, ...document.querySelectorAll(".bd-article-container")];
  const over = Math.max(...boxes.map(box => box.scrollWidth - box.clientWidth));
  if (over <= 0) return [];
  const ends = one => one.getBoundingClientRect().right;
  const wide = [...document.body.querySelectorAll("*")].filter(one => ends(one) > innerWidth + 1);
  return wide.slice(0, 5).map(one => `${over} px: ${one.tagName.toLowerCase()}.${[...one.classList].join(".")}`);
})()"""

#: Formulas in a line of text that are wider than the text's box; wide tables grow with their formulas, and scroll.
CUT = """(() => {
  const found = [];
  for (const one of document.querySelectorAll("span.math")) {
    const ends = [one, ...one.querySelectorAll("*")].map(part => part.getBoundingClientRect().right);
    const box = one.parentElement.closest("p, li, dd, dt, td, th, div").getBoundingClientRect();
    const over = Math.round(Math.max(...ends) - box.right);
    if (over > 1) found.push(`${over} px: formula ${one.textContent.slice(0, 60)}`);
  }
  return found;
})()"""

#: Texts whose contrast with the colour behind them is below that of WCAG's level AA: 4.5, or 3 for large letters.
PALE = """(() => {
  const parse = text => {
    const canvas = parse.context ??= Object.assign(document.createElement("canvas"), {width: 1, height: 1})
      .getContext("2d", {willReadFrequently: true});
    if (parse.known?.[text]) return parse.known[text];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return (parse.known ??= {})[text] = [r, g, b, a / 255];
  };
  const mix = ([r, g, b, a], under) => [r, g, b].map((value, k) => a * value + (1 - a) * under[k]);
  const ground = element => {
    const above = [];
    for (let one = element; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour[3] > 0) above.unshift(colour);
      if (colour[3] === 1) break;
    }
    return above.reduce((under, colour) => mix(colour, under), [255, 255, 255]);
  };
  const luminance = colour => {
    const [r, g, b] = colour.map(value => value / 255).map(
      value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const words = texts.currentNode.data.trim(), element = texts.currentNode.parentElement;
    if (!words || element.closest("script, style, svg, :disabled")) continue;
    if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const under = ground(element), ink = mix(parse(style.color), under);
    const [low, high] = [luminance(ink), luminance(under)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5) - 0.005) {
      const place = `${element.tagName.toLowerCase()}.${[...element.classList].join(".")}`;
      if (!found.has(place)) found.set(place, `${ratio.toFixed(2)} ${place}: ${words.slice(0, 40)}`);
    }
  }
  return [...found.values()];
})()"""


#: Colours do not fade in, so that the check sees their final values.
STILL = """document.head.append(Object.assign(document.createElement("style"),
  {textContent: "*, *::before, *::after {transition: none !important; animation: none !important}"}))"""

#: The checks: width of the window, theme and script.
CHECKS = [(390, "light", SIDEWAYS), (390, "light", CUT), (1440, "light", PALE), (1440, "dark", PALE)]


def faults(browser, paths):
    """Map the name of each page with a fault to its faults."""
    found = {}
    for name, path in paths.items():
        browser.open(path, CHECKS[0][0])
        browser.run(f"{STILL}; 0")
        for width, theme, script in CHECKS:
            browser.change(width, 1000, theme)
            lines = [f"{width} px, {theme}: {line}" for line in browser.run(script)]
            if lines:
                found.setdefault(name, []).extend(lines)
    return found


def main():
    """Print the faults; exit with 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", type=Path, help="folder of the built documentation")
    parser.add_argument("pages", nargs="*", default=["*"], help='such as "user_guide/*"; without it, all pages')
    given = parser.parse_args()
    with Browser(find_browser()) as browser:
        found = faults(browser, pages(given.site, given.pages))
    for name, lines in found.items():
        print(name, *lines, sep="\n    ")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
