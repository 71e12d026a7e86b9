"""What is measured: events in rounds on one project, first builds, and the number of workunits.

In a round each event runs once for each contender, one contender after the other, so that what else
the machine does hits all of them alike.
"""

import json
import os
import random
import shutil

import sources
from measure import Failed, environment, human, peak_memory, run, seconds, write

# name, title, contenders it makes sense for (None: all)
COMPILED = {"pybind", "functor", "pch", "ccache", "ours", "floor", "plain"}
ROUNDS = (
    ("body", "body edit to library", COMPILED | {"pykokkos"}),
    ("back", "edit taken back", COMPILED - {"floor", "plain"}),
    ("python", "body edit to Python result", {"pybind", "itself", "ours"}),
    ("pyback", "edit taken back to Python result", {"itself", "ours"}),
    ("pycomment", "comment to Python result", {"itself", "ours"}),
    ("pyidle", "nothing to do, to Python result", {"itself", "ours"}),
    ("comment", "comment", {"functor", "pch", "ccache", "ours"}),
    ("reformat", "reformatted", {"ours"}),
    ("touch", "touched", {"functor", "pch", "ccache", "ours"}),
    ("other", "other function of the file", {"ours"}),
    ("helper", "helper of two workunits", COMPILED - {"plain"}),
    ("type", "type of a parameter", COMPILED - {"plain"}),
    ("idle", "nothing to do", {"functor", "pch", "ccache", "ours", "plain"}),
)
FIRST = (
    ("first1", "first build of one workunit", COMPILED | {"pykokkos"}),
    ("many", "first build of {many}", COMPILED - {"floor"}),
    ("warm", "new build tree of {many}, warm store", {"ccache", "ours"}),
)
SCALE = (
    ("generate", "generate all of {n}", {"ours", "parse"}),
    ("idle", "nothing to do, {n}", {"ours", "plain"}),
    ("edit", "one edit among {n}", {"ours"}),
)
OTHER = (
    ("hash", "AST hashes of a file", {"ours", "ast"}),
)
UNCHANGED = ("comment", "reformat", "touch", "other", "back", "warm", "idle", "pyback", "pycomment", "pyidle")
PYTHON = ("python", "pyback", "pycomment", "pyidle")


class Compiled(Failed):
    """An event that must not run a compiler did."""


def misses(project):
    """Kernels that were really compiled so far, from the store's own books."""
    text = run([project.setup.program, "stats", "--json"], env=project.env)
    return json.loads(text)["misses"]


class Bench:
    """One run of the benchmark: its contenders, its results, and how much of it was asked for."""

    def __init__(self, setup, contenders, results, chosen, repeat, many, say):
        self.setup = setup
        self.contenders = contenders
        self.results = results
        self.chosen = chosen  # names of events
        self.repeat = repeat
        self.many = many
        self.say = say
        self.random = random.Random(1)

    def wanted(self, event):
        return event in self.chosen

    def taking(self, names):
        return [c for c in self.contenders if c.name in names and not c.skipped]

    def of_name(self, name):
        return next((c for c in self.contenders if c.name == name and not c.skipped), None)

    # ---- first builds

    def first_builds(self):
        names = {name: who for name, _, who in FIRST}
        if self.wanted("first1"):
            for k in range(min(self.repeat, 3)):
                for contender in self.taking(names["first1"]):
                    self.first("first1", contender, 1, k)
                self.progress("first1", "run %d" % (k + 1))
        if self.wanted("many") or self.wanted("warm"):
            for contender in self.taking(names["many"]):
                self.first_of_many(contender)
                self.progress("many", contender.name)

    def first(self, event, contender, count, k):
        folder = "%s-%d" % (event, k)
        project = contender.project(folder, count)
        project.write(sources.State())
        project.configure()
        self.results.add(event, contender.name, project.build())
        return project

    def first_of_many(self, contender):
        if contender.name == "pybind":
            # Each workunit is a file and a compilation of its own, one after the other.
            one = self.results.median("first1", "pybind")
            if one is None:
                self.first("first1", contender, 1, 0)
                one = self.results.median("first1", "pybind")
            self.results.add("many", "pybind", one, self.many)
            return
        runs = min(self.repeat, 3) if contender.name in ("ours", "plain") else 1
        for k in range(runs):
            project = self.first("many", contender, self.many, k)
        if contender.name not in ("ccache", "ours") or not self.wanted("warm"):
            return
        for k in range(min(self.repeat, 5)):
            project.move_build()
            project.configure()
            self.unchanged("warm", contender, project)

    # ---- edits

    def rounds(self):
        events = [(name, title, who) for name, title, who in ROUNDS if self.wanted(name)]
        if not events:
            return
        used = set().union(*(who for _, _, who in events))
        state, projects, modules = {}, {}, {}
        for contender in self.taking(used):
            state[contender.name] = sources.State()
            count = 3 if contender.name in ("pybind", "pykokkos", "itself") else 10
            projects[contender.name] = self.ready(contender, "edit", count)
            if contender.name == "ours" and any(self.wanted(name) for name in PYTHON):
                modules["ours"] = self.ready(contender, "module", count, module=True)
                state["module"] = sources.State()
            elif contender.name in ("pybind", "itself"):
                modules[contender.name] = projects[contender.name]
            self.say("   %s: project ready" % contender.title)
        for k in range(1, self.repeat + 1):
            for name, _, who in events:
                order = [c for c in self.taking(who)
                         if k <= (c.rounds if name in ("body", "python") else c.other_rounds)]
                self.random.shuffle(order)
                for contender in order:
                    if name in PYTHON:
                        key = "module" if contender.name == "ours" else contender.name
                        self.python(name, contender, modules[contender.name], state[key], k)
                    else:
                        self.edit(name, contender, projects[contender.name], state[contender.name], k)
            self.progress(events[0][0], "round %d of %d" % (k, self.repeat))

    def ready(self, contender, folder, count, **settings):
        project = contender.project(folder, count, **settings)
        project.write(sources.State())
        project.configure()
        project.build()
        project.build()  # a first build may leave something for the second
        return project

    def edit(self, name, contender, project, state, k):
        if name == "idle":
            return self.unchanged(name, contender, project)
        if name == "back":
            # As it was before: the body edit of this round is undone, or one made for this.
            if state.body == 0:
                state.body = 1000 + k
                project.write(state)
                project.build()
            state.body = 0
        elif name == "body":
            state.body = k
        elif name == "comment":
            state.comment = k
        elif name == "reformat":
            state.spaces = k
        elif name == "other":
            state.other = k
        elif name == "helper":
            state.helper = 1 + k
        elif name == "type":
            if contender.caches:  # a type that it has not seen with this body
                state.body = 2000 + k
                project.write(state)
                project.build()
            state.type = "float" if state.type == "double" else "double"
        project.write(state)
        if name == "touch":
            file = "kernels.py" if contender.name == "ours" else "triad.cpp"
            os.utime(os.path.join(project.source, file))
        if contender.name == "ours" and name in UNCHANGED:
            self.unchanged(name, contender, project)
        else:
            self.results.add(name, contender.name, project.build())
        if name == "type":
            state.body, state.type = 0, "double"
            project.write(state)
            if contender.name != "pybind":
                project.build()
        return None

    def unchanged(self, name, contender, project):
        """A build that needs no compiler: ours says so itself."""
        before = misses(project) if contender.name == "ours" else 0
        self.results.add(name, contender.name, project.build())
        if contender.name == "ours" and misses(project) != before:
            raise Compiled("%s compiled %d kernels" % (name, misses(project) - before))

    def python(self, name, contender, project, state, k):
        """Edit, build, and a fresh process that imports the module and calls the kernel."""
        if name == "pyback" and state.body == 0:  # nothing to take back yet
            state.body = 5000 + k
            project.write(state)
            contender.result(project, state, True)
        if name == "python":
            state.body = 4000 + k
        elif name == "pyback":
            state.body = 0
        elif name == "pycomment":
            state.comment = 4000 + k
        project.write(state)
        before = misses(project) if contender.name == "ours" else 0
        took, got = contender.result(project, state, name in ("python", "pyback"))
        if contender.name == "ours" and name in UNCHANGED and misses(project) != before:
            raise Compiled("%s compiled %d kernels" % (name, misses(project) - before))
        expected = 4.0 + 2.0 * 4.0 + state.body
        if got != expected:
            raise Failed("%s: the module says %r, the source %r" % (contender.title, got, expected))
        self.results.add(name, contender.name, took)

    # ---- many workunits

    def scale(self, counts, front):
        for n in counts:
            names = ["%s%d" % (event, n) for event, _, _ in SCALE]
            if not any(self.wanted(name) for name in names):
                continue
            if self.wanted("generate%d" % n) and self.of_name("ours"):
                self.generate(n, front)
            state = sources.State()
            for contender in self.taking({"ours", "plain"}):
                if not (self.wanted("idle%d" % n) or self.wanted("edit%d" % n) and contender.name == "ours"):
                    continue
                if contender.name == "plain" and n > 1000:
                    continue
                self.say("   %s: building %d workunits" % (contender.title, n))
                setattr(self, "project_" + contender.name, self.ready(contender, "scale%d" % n, n))
            self.scale_rounds(n, state)

    def generate(self, n, front):
        """Into an empty folder: time and memory, against tree-sitter's bare parse of the same file."""
        file = os.path.join(self.setup.root, "generate%d" % n, "kernels.py")
        write(file, sources.python(n, sources.State()))
        out = os.path.join(os.path.dirname(file), "out")
        env = environment(PYKOKKOS_CACHE_DIR=os.path.join(os.path.dirname(file), "store"))
        for _ in range(min(self.repeat, 3 if n > 1000 else 5)):
            shutil.rmtree(out, True)
            took, memory = peak_memory([self.setup.program, "generate", "-o", out, file], env=env)
            self.results.add("generate%d" % n, "ours", took)
            self.results.add("memory%d" % n, "ours", memory / 1e6)
            if front:
                self.results.add("generate%d" % n, "parse", float(run([front, "parse", "1", file])))
        self.progress("generate%d" % n, "%.0f MB" % self.results.median("memory%d" % n, "ours"))

    def scale_rounds(self, n, state):
        for k in range(1, min(self.repeat, 15 if n <= 1000 else 5) + 1):
            for contender in self.taking({"ours", "plain"}):
                project = getattr(self, "project_" + contender.name, None)
                if project is None or project.count != n:
                    continue
                if self.wanted("idle%d" % n):
                    self.unchanged("idle%d" % n, contender, project)
                if contender.name == "ours" and self.wanted("edit%d" % n):
                    state.body = k
                    project.write(state)
                    self.results.add("edit%d" % n, "ours", project.build())
        for name in ("idle%d" % n, "edit%d" % n):
            self.progress(name, "")

    # ---- the front end

    def hashes(self, front, count):
        if not self.wanted("hash") or not front or not self.of_name("ours"):
            return
        file = os.path.join(self.setup.root, "hash", "kernels.py")
        write(file, sources.python(count, sources.State()))
        code = ("import ast, hashlib, sys, time\n"
                "start = time.perf_counter()\n"
                "text = open(sys.argv[1]).read()\n"
                "for node in ast.parse(text).body:\n"
                "    hashlib.md5(ast.dump(node).encode()).hexdigest()\n"
                "print(time.perf_counter() - start)\n")
        for _ in range(self.repeat):
            self.results.add("hash", "ast", float(run([self.setup.python, "-I", "-c", code, file])))
            self.results.add("hash", "ours", float(run([front, "hash", "1", file])))
        self.progress("hash", "%d workunits" % count)

    def progress(self, event, remark):
        row = self.results.samples.get(event, {})
        if row:
            self.say("   %-14s %-16s %s" % (event, remark, "  ".join(
                "%s %s" % (name, human(values[-1])) for name, values in row.items())))
