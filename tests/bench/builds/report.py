"""The table, the goals and the JSON of a run."""

import json
import os
import platform
import statistics
import subprocess

from goals import check
from measure import human

ORDER = ("pybind", "pykokkos", "itself", "functor", "pch", "ccache", "ours", "floor", "plain", "parse", "ast", "numpy")
HEADS = {"pybind": "(a) pybind11", "pykokkos": "(a) PyKokkos", "itself": "(a) itself", "functor": "(b) functor",
         "pch": "(c) PCH", "ccache": "(d) ccache", "ours": "(e) ours", "floor": "(f) by hand", "plain": "plain C++",
         "parse": "tree-sitter", "ast": "CPython ast", "numpy": "numpy"}


def columns(results):
    used = {name for row in results.samples.values() for name in row}
    return [name for name in ORDER if name in used]


def table(results, titles):
    """Medians, and below each how many times ours that is. A `~` marks what was scaled up."""
    names = columns(results)
    lines = ["%-38s" % "event (medians)" + "".join("%14s" % HEADS[name] for name in names)]
    for event, row in results.samples.items():
        if event.startswith("memory"):
            continue
        cells, ratios = [], []
        ours = results.median(event, "ours")
        for name in names:
            value = results.median(event, name)
            scaled = "~" if (event, name) in results.scaled else ""
            cells.append(scaled + human(value))
            ratios.append("" if value is None or not ours or name == "ours" else "x %.2f" % (value / ours))
        lines.append("%-38s" % titles.get(event, event) + "".join("%14s" % cell for cell in cells))
        if any(ratios):
            lines.append(" " * 38 + "".join("%14s" % ratio for ratio in ratios))
    return "\n".join(lines)


def goals(results, everything):
    """A line a goal; what was not measured only where all of it should have been."""
    lines = ["%-52s %8s %8s" % ("goal", "ratio", "at most")]
    for what, ratio, limit, verdict in check(results):
        if ratio is None and not everything:
            continue
        lines.append("%-52s %8s %8.3f   %s" % (what, "-" if ratio is None else "%.3f" % ratio, limit, verdict))
    return "\n".join(lines)


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "unknown"


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def machine(compiler, kokkos):
    return {"system": platform.platform(), "processor": processor(), "cores": os.cpu_count(),
            "load": os.getloadavg()[0], "compiler": first_line([compiler, "--version"]),
            "cmake": first_line(["cmake", "--version"]), "ninja": first_line(["ninja", "--version"]),
            "kokkos": kokkos}


def write_json(path, results, titles, about, options):
    events = []
    for event, row in results.samples.items():
        contenders = {}
        for name, values in row.items():
            contenders[name] = {"median": statistics.median(values), "least": min(values), "samples": values}
            if (event, name) in results.scaled:
                contenders[name]["scaled_by"] = results.scaled[(event, name)]
        unit = "MB" if event.startswith("memory") else "s"
        events.append({"name": event, "title": titles.get(event, event), "unit": unit, "contenders": contenders})
    rows = [{"goal": what, "ratio": ratio, "limit": limit, "verdict": verdict}
            for what, ratio, limit, verdict in check(results)]
    with open(path, "w") as file:
        json.dump({"version": 1, "machine": about, "options": options, "events": events, "goals": rows,
                   "skipped": results.skipped}, file, indent=1)
        file.write("\n")
