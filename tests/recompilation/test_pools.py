"""How many TUs that include Kokkos are compiled at once."""

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


if __name__ == "__main__":
    project.main()
