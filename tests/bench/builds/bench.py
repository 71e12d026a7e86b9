"""How long builds take, PyKokkosCache and all others in one run.

    bench.py --program pykokkos-cache --package DIR [options]      (ninja bench does that)

Prints as it goes, then the medians with their ratios to ours and the goals; writes bench.json and
bench.svg into --out. Configuring is not part of any time.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import chart  # noqa: E402
import events  # noqa: E402
import report  # noqa: E402
from contenders import BUILT, Setup  # noqa: E402
from itself import Itself  # noqa: E402
from measure import Failed, Results, environment, run, write  # noqa: E402

CONTENDERS = (Itself,) + BUILT

PROBE = '''cmake_minimum_required(VERSION 3.22)
project(probe CXX)
find_package(PyKokkosCache REQUIRED)
message(STATUS "kokkos=${Kokkos_VERSION} ${Kokkos_DEVICES}")
'''


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True, help="pykokkos-cache")
    parser.add_argument("--package", required=True, help="folder of PyKokkosCacheConfig.cmake")
    parser.add_argument("--kokkos-dir", default="", help="folder of KokkosConfig.cmake")
    parser.add_argument("--pykokkos", default="", help="checkout of PyKokkos, for its translator")
    parser.add_argument("--itself", default="", help="PYTHONPATH of PyKokkos and kokkos-python, to run PyKokkos itself")
    parser.add_argument("--front", default="", help="bench_front, for times of the front end alone")
    parser.add_argument("--call", default="", help="folder of the call benchmark's module")
    parser.add_argument("--out", default=".", help="where bench.json and bench.svg go")
    parser.add_argument("--repeat", type=int, help="rounds (default 15; --quick: 3)")
    parser.add_argument("--quick", action="store_true", help="few rounds, few workunits")
    parser.add_argument("--events", help="only these, by comma (see --list)")
    parser.add_argument("--contenders", help="only these, by comma (see --list)")
    parser.add_argument("--list", action="store_true", help="print events and contenders")
    parser.add_argument("--keep", action="store_true", help="keep the projects, and say where they are")
    return parser.parse_args(arguments)


def titles_of(many, counts):
    titles = {name: title.format(many=many) for name, title, _ in events.FIRST + events.ROUNDS + events.OTHER}
    for n in counts:
        titles.update(("%s%d" % (name, n), title.format(n="{:,}".format(n))) for name, title, _ in events.SCALE)
    titles.update(call="call of an empty kernel from Python", **{"import": "import of a module"})
    return titles


def choose(given, known, what):
    if not given:
        return list(known)
    chosen = given.split(",")
    for name in chosen:
        if name not in known:
            sys.exit("bench: no %s '%s'; there are: %s" % (what, name, " ".join(known)))
    return chosen


def probe(setup):
    """What Kokkos this is; says at once when no project can be configured here."""
    folder = os.path.join(setup.root, "probe")
    write(os.path.join(folder, "CMakeLists.txt"), PROBE)
    printed = setup.cmake(folder, os.path.join(folder, "build"), env=environment())
    found = next(line for line in printed.splitlines() if "kokkos=" in line)
    return found.split("kokkos=")[1].strip()


def call_times(options, results, repeat, itself, env):
    """The call benchmark prints lines of `event contender seconds`."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "call", "call.py")
    command = [sys.executable, "-I", script, options.call, str(repeat), "--plain"]
    if itself:
        command.append("--itself=" + options.itself)
    printed = run(command, env=env)
    for line in printed.splitlines():
        event, contender, value = line.split()
        results.add(event, contender, float(value))


def measure(options, setup, results, counts, many, chosen, say):
    repeat = options.repeat or (3 if options.quick else 15)
    names = choose(options.contenders, [kind.name for kind in CONTENDERS], "contender")
    contenders = [kind(setup) for kind in CONTENDERS if kind.name in names]
    for contender in contenders:
        if contender.skipped:
            results.skipped[contender.name] = contender.skipped
            say("skipped: %s: %s" % (contender.title, contender.skipped))
    bench = events.Bench(setup, contenders, results, chosen, repeat, many, say)
    for title, part in (
            ("the front end", lambda: bench.hashes(options.front, 100 if options.quick else 1000)),
            ("edits", bench.rounds),
            ("numbers of workunits", lambda: bench.scale(counts, options.front)),
            ("first builds", bench.first_builds)):
        say("== %s" % title)
        part()
    if options.call and ("call" in chosen or "import" in chosen) and "ours" in names:
        say("== calls from Python")
        call_times(options, results, repeat, any(c.name == "itself" and not c.skipped for c in contenders),
                   environment())


def main(arguments):
    options = parse_arguments(arguments)
    counts = (10, 100) if options.quick else (10, 1000, 10000)
    many = 10 if options.quick else 100
    titles = titles_of(many, counts)
    if options.list:
        print("events:     ", " ".join(titles))
        print("contenders: ", " ".join(kind.name for kind in CONTENDERS))
        return 0
    chosen = choose(options.events, titles, "event")
    start = time.monotonic()

    def say(words):
        print("%5.0f s  %s" % (time.monotonic() - start, words), flush=True)

    root = tempfile.mkdtemp(prefix="pykokkos-bench-")
    setup = Setup(options.program, options.package, root, sys.executable, options.pykokkos, options.kokkos_dir,
                  options.itself)
    results = Results()
    try:
        kokkos = probe(setup)
        setup.kokkos_version = ".".join(kokkos.split()[0].split(".")[:2])
        about = report.machine(setup.compiler, kokkos)
        say("%(compiler)s, Kokkos %(kokkos)s, %(cores)d cores, load %(load).1f" % about)
        measure(options, setup, results, counts, many, chosen, say)
    except Failed as failed:
        print("bench: %s" % failed, file=sys.stderr)
        return 1
    finally:
        if options.keep:
            print("projects: " + root)
        else:
            shutil.rmtree(root, True)
    everything = not (options.quick or options.events or options.contenders)
    print("\n%s\n\n%s\n" % (report.table(results, titles), report.goals(results, everything)))
    for name, reason in results.skipped.items():
        print("skipped: %s: %s" % (name, reason))
    os.makedirs(options.out, exist_ok=True)
    report.write_json(os.path.join(options.out, "bench.json"), results, titles, about,
                      {"repeat": options.repeat, "quick": options.quick, "events": chosen})
    heading = "PyKokkosCache: %s, Kokkos %s" % (about["compiler"], kokkos)
    with open(os.path.join(options.out, "bench.svg"), "w") as file:
        file.write(chart.draw(results, titles, heading))
    say("written: bench.json, bench.svg in %s" % os.path.abspath(options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
