"""The goals, and whether a run met them. They are printed, never asserted: machines differ."""

# what, (event, contender) measured, (event, contender) compared with, at most this ratio
GOALS = (
    ("body edit to library: 1.5 x the loop by hand", ("body", "ours"), ("body", "floor"), 1.5),
    ("body edit to library: 1/40 of PyKokkos' way", ("body", "ours"), ("body", "pybind"), 1 / 40),
    ("body edit to Python result: 1/20 of PyKokkos' way", ("python", "ours"), ("python", "pybind"), 1 / 20),
    ("body edit to Python result: 1/20 of PyKokkos itself", ("python", "ours"), ("python", "itself"), 1 / 20),
    ("comment: 4 x nothing to do", ("comment", "ours"), ("idle", "ours"), 4),
    ("reformatted: 4 x nothing to do", ("reformat", "ours"), ("idle", "ours"), 4),
    ("touched: 4 x nothing to do", ("touch", "ours"), ("idle", "ours"), 4),
    ("other function: 4 x nothing to do", ("other", "ours"), ("idle", "ours"), 4),
    ("edit taken back: 1/3 of ccache", ("back", "ours"), ("back", "ccache"), 1 / 3),
    ("new build tree, warm store: 1/3 of ccache", ("warm", "ours"), ("warm", "ccache"), 1 / 3),
    ("first build of many: 1/20 of PyKokkos' way", ("many", "ours"), ("many", "pybind"), 1 / 20),
    ("first build of many: 1/3 of a precompiled header", ("many", "ours"), ("many", "pch"), 1 / 3),
    ("nothing to do, 1,000: 1.2 x plain Ninja", ("idle1000", "ours"), ("idle1000", "plain"), 1.2),
    ("generate 10,000: 6 x tree-sitter's bare parse", ("generate10000", "ours"), ("generate10000", "parse"), 6),
    ("generate 10,000: 200 MB", ("memory10000", "ours"), 200, 1),
    ("one edit among 1,000: 1.5 x one among 10", ("edit1000", "ours"), ("edit10", "ours"), 1.5),
    ("one edit among 10,000: 3 x one among 10", ("edit10000", "ours"), ("edit10", "ours"), 3),
    ("AST hashes: 1/3 of CPython's ast and md5", ("hash", "ours"), ("hash", "ast"), 1 / 3),
    ("call of an empty kernel beyond Kokkos: 2 x np.add", ("call", "ours"), ("call", "numpy"), 2),
    ("import beyond Kokkos: 1/5 of numpy's", ("import", "ours"), ("import", "numpy"), 1 / 5),
)


def check(results):
    """[(what, ratio or None, limit, "met" | "not met" | "not measured")]"""
    rows = []
    for what, ours, other, limit in GOALS:
        value = results.median(*ours)
        base = results.median(*other) if isinstance(other, tuple) else other
        if value is None or base is None:
            rows.append((what, None, limit, "not measured"))
        else:
            ratio = value / base
            rows.append((what, ratio, limit, "met" if ratio <= limit else "not met"))
    return rows
