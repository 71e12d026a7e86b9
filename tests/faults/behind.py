"""Other caches behind the launcher, in two checkouts in different folders, each with a store of its
own: what the first compiled, the second gets from ccache's remote storage (a Redis server on
loopback), or compiles on another machine (distcc's daemon on loopback).

usage: behind.py ccache|distcc|maps PKC CXX INCLUDE       exit status 77: a program is missing"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from world import KERNELS, Wrong, read, require, write

SKIPPED = 77


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, process):
    for _ in range(200):
        require(process.poll() is None, "the server ends at once")
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Wrong("the server does not answer")


class Checkouts:
    def __init__(self, pkc, cxx, include):
        self.root = tempfile.mkdtemp(prefix="behind-", dir=os.getcwd())
        self.pkc = os.path.abspath(pkc)
        self.include = os.path.abspath(include)
        self.log = os.path.join(self.root, "compiles")
        # The compiler, with a note of each compile that is not only preprocessing.
        self.cxx = os.path.join(self.root, "bin", "g++")
        real = shutil.which(cxx)
        write(self.cxx, f"""#!/bin/sh
case " $* " in
*" -E "*) ;;
*" -c "*) echo x >> '{self.log}' ;;
esac
exec '{real}' "$@"
""")
        os.chmod(self.cxx, 0o755)
        os.chmod(self.root, 0o755)

    def compiles(self):
        count = len(read(self.log).splitlines()) if os.path.exists(self.log) else 0
        write(self.log, "")
        os.chmod(self.log, 0o666)
        return count

    def build(self, name, behind, env, flags=(), store=None):
        """A checkout's kernels, compiled from its own folder: the bytes of their objects."""
        place = os.path.join(self.root, name)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(os.path.join(place, "build"))
        write(os.path.join(place, "kernels.py"), KERNELS.format(factor=2))
        env = {"PATH": os.environ["PATH"], "HOME": os.path.join(place, "home"),
               "PYKOKKOS_CACHE_DIR": store or os.path.join(place, "store"), **env}
        build = os.path.join(place, "build")
        r = subprocess.run([self.pkc, "generate", "-o", "gen", "../kernels.py"], cwd=build, env=env,
                           capture_output=True, check=False)
        require(r.returncode == 0, "generate: " + r.stderr.decode())
        objects = {}
        flags = [f.replace("@PLACE@", place) for f in flags]
        for folder, _, names in os.walk(os.path.join(build, "gen")):
            for file in sorted(n for n in names if n.endswith(".kernel.cpp")):
                out = file[:-4] + ".o"
                r = subprocess.run(
                    [self.pkc, "compile", "--compiler=" + self.cxx, "--", *behind, self.cxx, "-O2",
                     *flags, "-I" + os.path.join(build, "gen", "include"), "-isystem", self.include,
                     "-MD", "-MT", out, "-MF", out + ".d", "-o", out, "-c",
                     os.path.join(folder, file)],
                    cwd=build, env=env, capture_output=True, check=False)
                require(r.returncode == 0, f"{name}: {(r.stdout + r.stderr).decode()}")
                deps = read(os.path.join(build, out + ".d")).decode()
                require(file in deps, f"{name}: the depfile: {deps}")
                objects[file] = read(os.path.join(build, out))
        require(len(objects) == 2, f"{name}: {len(objects)} kernels")
        return objects


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            print(f"skipped: {program} is not installed")
            sys.exit(SKIPPED)


def ccache(c):
    need("ccache", "redis-server")
    port = free_port()
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", c.root],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port, server)

        def env(name):
            return {"CCACHE_DIR": os.path.join(c.root, "ccache-" + name),
                    "CCACHE_REMOTE_STORAGE": f"redis://127.0.0.1:{port}"}

        first = c.build("one", ["ccache"], env("one"))
        require(c.compiles() == 2, "the first checkout does not compile both")
        second = c.build("deeper/two", ["ccache"], env("two"))
        count = c.compiles()
        require(count == 0, f"{count} compiles in the second checkout")
        require(first == second, "the second checkout's objects differ")
        # Debug information holds the folder: ccache shares it only when told to.
        nohash = {"CCACHE_NOHASHDIR": "1"}
        c.build("one", ["ccache"], {**env("one"), **nohash}, ["-g"])
        require(c.compiles() == 2, "-g: the first checkout does not compile both")
        c.build("deeper/two", ["ccache"], {**env("two"), **nohash}, ["-g"])
        count = c.compiles()
        require(count == 0, f"-g: {count} compiles in the second checkout")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    print("ccache: nothing compiled in the second checkout, with and without -g")


def distcc(c):
    need("distcc", "distccd")
    port = free_port()
    log = os.path.join(c.root, "distccd.log")
    with open(log, "wb") as f:
        server = subprocess.Popen(
            ["distccd", "--daemon", "--no-detach", "--log-stderr", "--verbose", "--port", str(port),
             "--listen", "127.0.0.1", "--allow", "127.0.0.1", "--enable-tcp-insecure", "--jobs",
             "2", "--nice", "0"], stdout=f, stderr=f, env={**os.environ, "TMPDIR": "/tmp"})
    try:
        wait_for_port(port, server)
        here = c.build("local", [], {})
        require(c.compiles() == 2, "compiles without distcc")
        env = {"DISTCC_HOSTS": f"127.0.0.1:{port}/2", "DISTCC_FALLBACK": "0",
               "DISTCC_DIR": os.path.join(c.root, "distcc"), "DISTCC_BACKOFF_PERIOD": "0"}
        os.makedirs(env["DISTCC_DIR"])
        first = c.build("one", ["distcc"], env)
        second = c.build("deeper/two", ["distcc"], env)
        require(first == here and second == here, "objects from distcc differ from local ones")
        done = read(log).count(b"COMPILE_OK")
        require(done == 4, f"the daemon has done {done} compiles, not 4")
        again = c.build("three", ["distcc"], env, store=os.path.join(c.root, "one", "store"))
        require(again == here and read(log).count(b"COMPILE_OK") == 4,
                "what the store held was compiled again")
    finally:
        # the daemon has children of its own in its process group only
        server.send_signal(signal.SIGTERM)
        server.wait()
    print("distcc: four compiles by the daemon, all right; none for what a store held")


def maps(c):
    store = os.path.join(c.root, "shared")
    flags = ["-g", "-ffile-prefix-map=@PLACE@=/checkout"]
    first = c.build("one", [], {}, flags, store)
    require(c.compiles() == 2, "the first checkout does not compile both")
    second = c.build("deeper/two", [], {}, flags, store)
    count = c.compiles()
    require(count == 0, f"prefix maps: {count} compiles in the second checkout")
    require(first == second, "the objects differ")
    c.build("deeper/two", [], {}, ["-g"], store)
    require(c.compiles() == 2, "-g alone: not compiled")
    c.build("one", [], {}, ["-g"], store)
    require(c.compiles() == 2, "-g alone: another checkout's debug information was taken")
    print("maps: with prefix maps, one store serves both checkouts' debug builds")


def main():
    test, pkc, cxx, include = sys.argv[1:5]
    c = Checkouts(pkc, cxx, include)
    try:
        {"ccache": ccache, "distcc": distcc, "maps": maps}[test](c)
    except Wrong as e:
        print(f"WRONG: {test}: {e}")
        for name in os.listdir(c.root):
            if name.endswith(".log"):
                sys.stdout.write(read(os.path.join(c.root, name)).decode(errors="replace")[-3000:])
        sys.exit(1)
    finally:
        shutil.rmtree(c.root, ignore_errors=True)


if __name__ == "__main__":
    main()
