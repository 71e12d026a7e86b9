"""A bar chart of a run as SVG, drawn here: events one below the other, times on a logarithmic scale."""

import math
from xml.sax.saxutils import escape

from measure import human
from report import HEADS, columns

COLOURS = {"pybind": "#b2182b", "pykokkos": "#d6604d", "itself": "#f4a582", "functor": "#e08214", "pch": "#fdb863",
           "ccache": "#8073ac", "ours": "#1b7837", "floor": "#4d4d4d", "plain": "#999999",
           "parse": "#2166ac", "ast": "#67a9cf", "numpy": "#2166ac"}
LEFT, WIDTH, BAR, GAP, TOP = 250, 620, 13, 12, 66


APART = ("memory", "call", "import")  # other units, or too short to be in one picture with builds


def shown(results):
    """[(event, [(contender, median)])] in the chart's order."""
    names = columns(results)
    return [(event, [(name, results.median(event, name)) for name in names if name in row])
            for event, row in results.samples.items() if not event.startswith(APART)]


def position(value, low, high):
    return LEFT + WIDTH * (math.log10(value) - low) / (high - low)


def decades(results):
    """The powers of ten around all times shown."""
    values = [value for _, bars in shown(results) for _, value in bars if value > 0]
    if not values:
        return -3, 0
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def text(x, y, words, size=12, anchor="start", weight="normal"):
    return ('<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" font-weight="%s">%s</text>'
            % (x, y, size, anchor, weight, escape(words)))


def draw(results, titles, heading):
    """The chart's text."""
    low, high = decades(results)
    names = columns(results)
    parts, y = [], TOP
    for event, bars in shown(results):
        parts.append(text(LEFT - 8, y + BAR * len(bars) / 2 + 4, titles.get(event, event), anchor="end"))
        for name, value in bars:
            end = position(max(value, 10.0 ** low), low, high)
            mark = "~" if (event, name) in results.scaled else ""
            parts.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>'
                         % (LEFT, y, max(end - LEFT, 1), BAR - 1, COLOURS[name]))
            parts.append(text(end + 4, y + BAR - 3, mark + human(value), 10,
                              weight="bold" if name == "ours" else "normal"))
            y += BAR
        y += GAP
    scale = []
    for power in range(low, high + 1):
        x = position(10.0 ** power, low, high)
        scale.append('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#dddddd"/>' % (x, TOP - 6, x, y))
        scale.append(text(x, y + 14, human(10.0 ** power), 10, "middle"))
    legend, x = [], 10
    for name in names:
        legend.append('<rect x="%d" y="34" width="11" height="11" fill="%s"/>' % (x, COLOURS[name]))
        legend.append(text(x + 15, 44, HEADS[name], 11))
        x += 30 + 7 * len(HEADS[name])
    width = max(LEFT + WIDTH + 90, x)
    return "\n".join(
        ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif">' % (width, y + 28),
         '<rect width="100%" height="100%" fill="white"/>', text(10, 22, heading, 14, weight="bold")]
        + legend + scale + parts + ["</svg>", ""])
