"""Dispatch TUs, which include Kokkos: how many are compiled, and how many at once."""

import json
import os

import project
from project import Project, environment, run

# A compiler that takes its time over a dispatch TU, and notes when another one is at work. It makes an
# empty object: what is compiled is not the question here.
COMPILER = '''#!/bin/sh
case "$*" in
*.dispatch.cpp)
    mkdir "$PKC_BUSY" 2> /dev/null && mine=yes || echo overlap >> "$PKC_OVERLAPS"
    sleep 0.4
    test -z "$mine" || rmdir "$PKC_BUSY"
    while test $# -gt 0; do
        case $1 in
        -o) : > "$2" ;;
        -MF) echo "none:" > "$2" ;;
        esac
        shift
    done
    exit 0 ;;
esac
exec "$@"
'''
TARGETS = 4


class Pools(project.Case):
    def configured(self, *arguments, text=""):
        p = Project(self)
        compiler = os.path.join(p.root, "slow.sh")
        with open(compiler, "w") as file:
            file.write(COMPILER)
        os.chmod(compiler, 0o755)
        p.write("kern.py", project.KERNELS)
        p.cmake(text + "foreach(k RANGE 1 %d)\n    pykokkos_add_library(t${k} SHARED SOURCES kern.py)\n"
                "endforeach()\n" % TARGETS)
        p.configure("-DPYKOKKOS_CACHE_DISABLE=ON", "-DCMAKE_CXX_COMPILER_LAUNCHER=" + compiler, *arguments)
        with open(os.path.join(p.build_dir, "build.ninja")) as file:
            p.ninja = file.read()
        rules = os.path.join(p.build_dir, "CMakeFiles", "rules.ninja")
        with open(rules) as file:
            p.ninja += file.read()
        return p

    def overlaps(self, p):
        """How often a dispatch TU was compiled while another was, of TARGETS compiled by one `ninja`."""
        overlaps = os.path.join(p.root, "overlaps")
        env = environment(PKC_BUSY=os.path.join(p.root, "busy"), PKC_OVERLAPS=overlaps)
        done = run(["ninja", "-C", p.build_dir, "-j%d" % TARGETS] + ["t%d_dispatch" % (k + 1) for k in range(TARGETS)],
                   env=env)
        self.assertEqual(done.stdout.count("Building CXX object"), TARGETS, done.stdout)
        if not os.path.exists(overlaps):
            return 0
        with open(overlaps) as file:
            return len(file.readlines())

    def test_one_at_a_time(self):
        self.assertEqual(self.overlaps(self.configured("-DPYKOKKOS_CACHE_KOKKOS_JOBS=1")), 0)

    def test_no_bound(self):
        p = self.configured("-DPYKOKKOS_CACHE_KOKKOS_JOBS=0")
        self.assertNotIn("pool = pykokkos", p.ninja)
        self.assertGreater(self.overlaps(p), 0)

    def test_by_memory(self):
        p = self.configured()
        self.assertRegex(p.ninja, r"pool pykokkos\n  depth = [1-9]\d*\n")
        self.assertEqual(p.ninja.count("pool = pykokkos\n"), TARGETS)  # the dispatch TUs alone

    def test_pools_of_the_project(self):
        """A pool of its own for these TUs, one of our name, and others in CMAKE_JOB_POOLS, all stay."""
        p = self.configured("-DCMAKE_JOB_POOLS=links=2;pykokkos=3")
        self.assertRegex(p.ninja, r"pool pykokkos\n  depth = 3\n")
        p = self.configured("-DCMAKE_JOB_POOLS=links=2;compiles=5", "-DCMAKE_JOB_POOL_COMPILE=compiles")
        self.assertRegex(p.ninja, r"pool links\n  depth = 2\n")
        self.assertRegex(p.ninja, r"pool compiles\n  depth = 5\n")
        self.assertNotIn("pool = pykokkos\n", p.ninja)
        p = self.configured(text="set_property(GLOBAL PROPERTY JOB_POOLS links=2)\n")
        self.assertRegex(p.ninja, r"pool links\n  depth = 2\n")
        self.assertRegex(p.ninja, r"pool pykokkos\n  depth = [1-9]\d*\n")

    def test_no_number(self):
        p = Project(self)
        p.write("kern.py", project.KERNELS)
        p.cmake("pykokkos_add_library(t SOURCES kern.py)\n")
        self.assertFalse(p.configure("-DPYKOKKOS_CACHE_KOKKOS_JOBS=many", check=False))
        self.assertIn("PYKOKKOS_CACHE_KOKKOS_JOBS is 'many', not a number", p.output)


MAIN = '''#include <kern.hpp>
#include <second.hpp>
#include <third.hpp>
#include <cstdio>

int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    Kokkos::View<std::int64_t *, Kokkos::HostSpace> v("v", 4);
    kern::alpha(4, v);
    long long sum = v(3);
    second::beta(4, v);
    sum = 100 * sum + v(3);
    third::alpha(Kokkos::RangePolicy<Kokkos::Serial>(0, 4), v);
    std::printf("%lld\\n", 100 * sum + v(3));
}
'''


class Shared(project.Case):
    def test_one_for_all_targets(self):
        """Targets of one space have the same dispatch TU; one of another has its own. All of them work in
        one program."""
        p = Project(self)
        for name in ("kern", "second", "third"):
            p.write(name + ".py", project.KERNELS)
        p.write("main.cpp", MAIN)
        p.cmake("pykokkos_add_library(kern STATIC SOURCES kern.py)\n"
                "pykokkos_add_library(second SHARED SOURCES second.py)\n"
                "pykokkos_add_library(third STATIC SOURCES third.py EXECUTION_SPACE Kokkos::Serial)\n"
                "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE kern second third)\n")
        p.configure("-DCMAKE_POSITION_INDEPENDENT_CODE=ON")
        p.build()
        done = run([os.path.join(p.build_dir, "app")])
        self.assertEqual(done.stdout, "60206\n")
        texts = []
        for name in ("kern", "second", "third"):
            with open(os.path.join(p.build_dir, "pykokkos", name, "kokkos.dispatch.cpp")) as file:
                texts.append(file.read())
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])
        stats = json.loads(p.command("stats", "--json").stdout)
        # Two kernels a module, each text of its own, and two dispatch TUs for the three targets.
        self.assertEqual((stats["misses"], stats["hits"]), (6 + 2, 1))


if __name__ == "__main__":
    project.main()
