"""Stores in places that are no good: each costs a warning at most, and every build is right. And
keys that must not depend on where and as whom one builds.

usage: places.py PKC COMPILER CXX INCLUDE [SHIM]"""

import argparse
import os
import shutil
import subprocess
import sys
import time

from world import KERNELS, Wrong, World, read, report, require, tree, write

NOBODY = 65534


def skipped(text):
    print(f"skipped: {text}")


def source_tree(world):
    """All that a build must not write: what is not in its folder, the generated one or the store."""
    ours = ("build", "gen", "large", "store", "xdg", "real")  # the last three: stores
    found = {}
    for name in set(os.listdir(world.place)) - set(ours):
        path = os.path.join(world.place, name)
        inside = tree(path) if os.path.isdir(path) else {"": read(path)}
        found.update({os.path.join(name, n): text for n, text in inside.items()})
    return found


def build(world, what, compiles=None, extra=None, words=None, quiet=True):
    """Generates and compiles; the results are right, and nothing else was written."""
    world.compiles()
    for n in (1, 2):
        world.kernel(n)
    world.dispatch(1)
    before = source_tree(world)
    r = world.run(world.generate_words(), extra)
    require(r.returncode == 0, f"{what}: generate: {r.stderr.decode()}")
    said = r.stderr.decode()
    for source in (world.kernel(1), world.kernel(2), world.dispatch(1)):
        r = world.compile(source, extra)
        require(r.returncode == 0, f"{what}: {r.stderr.decode()}")
        require(not quiet or not r.stderr, f"{what}: a compile says {r.stderr.decode()}")
        world.check_object(source, what=what)
    now = source_tree(world)
    written = sorted(n for n in set(now) | set(before) if now.get(n) != before.get(n))
    require(not written, f"{what}: written beside the build: {written[:4]}")
    count = world.compiles()
    require(compiles is None or count == compiles, f"{what}: {count} compiles, not {compiles}")
    if words is not None:
        require(said.count("warning") == 1 and words in said,
                f"{what}: no one warning with {words!r}: {said!r}")
    return said


def fresh(world, name):
    """A new place whose files are old enough for their headers to be known."""
    world.new_place(name)
    for n in (1, 2):
        world.kernel(n)
    world.dispatch(1)
    time.sleep(0.05)


def again(world, what, **more):
    shutil.rmtree(world.gen)  # so that the generator has something to do
    return build(world, what, **more)


# ---- the places ----------------------------------------------------------------------------------


def read_only(world):
    if os.geteuid() == 0:
        if subprocess.run(["mount", "-t", "tmpfs", "none", world.place], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            return skipped("no tmpfs may be mounted here: a store on a read-only file system")
        try:
            store = world.store
            build_in_mounted(world, store)
        finally:
            subprocess.run(["umount", "-l", world.place], check=True)
        return None
    build(world, "fill", 3)
    subprocess.run(["chmod", "-R", "a-w", world.store], check=True)
    again(world, "a read-only store", compiles=0, words="write to the store")
    check_reading(world, "a read-only store")
    return None


def build_in_mounted(world, store):
    """As root: the whole place is a file system, and the store a read-only view of its folder."""
    world.inc = os.path.join(world.place, "inc")
    for path, text in ((os.path.join(world.inc, "pykokkos_cache", "base.hpp"), "// base 1\n"),
                       (os.path.join(world.inc, "other.hpp"), "// other 1\n"),
                       (world.python, KERNELS.format(factor=2))):
        write(path, text)
    os.makedirs(world.build)
    for n in (1, 2):
        world.kernel(n)
    world.dispatch(1)
    time.sleep(0.05)
    build(world, "fill", 3)
    subprocess.run(["mount", "--bind", store, store], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", store], check=True)
    try:
        again(world, "a read-only store", compiles=0, words="write to the store")
        check_reading(world, "a read-only store")
        write(os.path.join(world.inc, "pykokkos_cache", "base.hpp"), "// base 2\n")
        again(world, "a miss in a read-only store", compiles=3)
    finally:
        subprocess.run(["umount", "-l", store], check=True)


def check_reading(world, what):
    r = world.run([world.pkc, "stats"])
    require(r.returncode == 0 and b"entries        3" in r.stdout,
            f"{what}: stats: {(r.stdout + r.stderr).decode()}")
    r = world.run([world.pkc, "verify"])
    require(r.returncode == 0 and b"3 entries are good" in r.stdout,
            f"{what}: verify: {(r.stdout + r.stderr).decode()}")


def full_disk(world):
    store = world.store
    os.makedirs(store)
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", store], check=False,
            stderr=subprocess.DEVNULL).returncode != 0:
        return skipped("no tmpfs may be mounted here: a full disk (the walk has its errors)")
    try:
        build(world, "a small disk")
        fd = os.open(os.path.join(store, "filler"), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            while True:
                os.write(fd, b"x" * 4096)
        except OSError:
            os.close(fd)
        write(os.path.join(world.inc, "pykokkos_cache", "base.hpp"), "// base 2\n")
        again(world, "a full disk", compiles=3, words="No space left")
        os.unlink(os.path.join(store, "filler"))
        again(world, "room again")
        r = world.run([world.pkc, "verify"])
        require(r.returncode == 0, "after a full disk: " + (r.stdout + r.stderr).decode())
    finally:
        subprocess.run(["umount", "-l", store], check=True)
    return None


def shimmed(world, **more):
    """The environment in which the store's folder is made to seem a bad place."""
    if world.shim is None:
        return None
    return {"LD_PRELOAD": world.shim, "PKC_FAULT_PROGRAM": os.path.basename(world.pkc),
            "PKC_FAULT_UNDER": world.store, **more}


def over_quota(world):
    env = shimmed(world, PKC_FAULT_QUOTA="1")
    if env is None:
        return skipped("no library can be preloaded: a quota")
    build(world, "an empty store over quota", compiles=3, extra=env)
    shutil.rmtree(world.gen)
    build(world, "within quota again", compiles=3)
    again(world, "over quota, all kept before", compiles=0, extra=env)
    write(os.path.join(world.inc, "pykokkos_cache", "base.hpp"), "// base 2\n")
    time.sleep(0.05)
    again(world, "over quota, a miss", compiles=3, extra=env)
    again(world, "within quota again", compiles=3)
    again(world, "within quota again", compiles=0)
    r = world.run([world.pkc, "verify"])
    require(r.returncode == 0, "after a quota: " + (r.stdout + r.stderr).decode())
    world.check_clean("after a quota")
    return None


def network(world):
    env = shimmed(world, PKC_FAULT_STATFS="0x6969")
    if env is None:
        return skipped("no library can be preloaded: a network file system")
    build(world, "a store on NFS", compiles=3, extra=env)
    r = world.run([world.pkc, "stats"], env)
    require(r.returncode == 0 and b"entries        3" in r.stdout,
            "a store on NFS: stats: " + (r.stdout + r.stderr).decode())
    again(world, "a store on NFS", compiles=0, extra=env)
    header = read(os.path.join(world.store, "manifest.sqlite"))[18:20]
    require(header == b"\x01\x01", f"a store on NFS: the manifest has a write-ahead log: {header}")
    left = [n for n in os.listdir(world.store) if n.endswith(("-wal", "-shm"))]
    require(not left, f"a store on NFS: {left}")
    shutil.rmtree(world.store)
    again(world, "a store on a local disk", compiles=3)
    world.run([world.pkc, "stats"])
    header = read(os.path.join(world.store, "manifest.sqlite"))[18:20]
    require(header == b"\x02\x02", f"a store on a local disk has no write-ahead log: {header}")
    return None


def no_home(world):
    # The home folder of the user database would be a real one: where that is so, XDG's is given.
    env = dict(world.env)
    del world.env["PYKOKKOS_CACHE_DIR"], world.env["HOME"]
    world.env["XDG_CACHE_HOME"] = os.path.join(world.place, "xdg")
    try:
        build(world, "no HOME", 3)
        again(world, "no HOME", compiles=0)
        world.env["XDG_CACHE_HOME"] = "/proc/no-such-place"
        again(world, "a cache folder that can't be made", compiles=3, words="pykokkos-cache")
    finally:
        world.env.clear()
        world.env.update(env)


def bad_tmpdir(world):
    for tmp in ("/proc/no-such-place", "/dev/null", ""):
        build(world, f"TMPDIR={tmp}", extra={"TMPDIR": tmp})
        shutil.rmtree(world.gen)


def other_owner(world):
    if os.geteuid() != 0:
        return skipped("not root: a store of another user")
    os.makedirs(world.store, 0o700)
    os.chown(world.store, NOBODY, NOBODY)
    build(world, "another user's store", 3, words="belongs to another user")
    require(not os.listdir(world.store), "something was written into another user's store")
    return None


def writable_by_others(world):
    for mode in (0o770, 0o707, 0o777):
        shutil.rmtree(world.store, ignore_errors=True)
        shutil.rmtree(world.gen, ignore_errors=True)
        os.makedirs(world.store)
        os.chmod(world.store, mode)
        build(world, f"a store of mode {mode:o}", 3, words="writable by others")
        require(not os.listdir(world.store), "something was written into a store of others")


def deleted(world):
    build(world, "fill", 3)
    shutil.rmtree(world.store)
    again(world, "a deleted store", compiles=3)
    shutil.rmtree(world.gen)
    # and while a compile runs
    source = world.kernel(3)
    env = {**world.env, "FAKE_COMPILER_MS": "200"}
    p = subprocess.Popen(world.compile_words(source), cwd=world.build, env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.1)
    shutil.rmtree(world.store)
    out, err = p.communicate(timeout=30)
    require(p.returncode == 0 and not out + err, f"deleted in a compile: {(out + err).decode()}")
    world.check_object(source, what="deleted in a compile")
    build(world, "afterwards", 3)


def links(world):
    real = os.path.join(world.place, "real")
    os.makedirs(real, 0o700)
    os.symlink(real, world.store)
    build(world, "a linked store", 3)
    again(world, "a linked store", compiles=0)
    # In it, files that are links lead nowhere that we write to.
    target = os.path.join(world.place, "precious")
    write(target, "mine\n")
    for name in ("uses.log", "locks"):
        path = os.path.join(real, name)
        if os.path.exists(path):
            os.unlink(path)
        os.symlink(target, path)
    again(world, "links for the store's files", compiles=0)
    write(os.path.join(world.inc, "pykokkos_cache", "base.hpp"), "// base 2\n")
    again(world, "links for the store's files", compiles=3)
    require(read(target) == b"mine\n", "a file that a link in the store leads to was changed")
    os.unlink(world.store)
    os.symlink(os.path.join(world.place, "nowhere"), world.store)
    again(world, "a link that leads nowhere", compiles=3)


def clocks(world):
    build(world, "fill", 3)
    for hours in (1, -1, 24 * 365):
        when = time.time() + hours * 3600
        for folder, dirs, names in os.walk(world.place):
            for name in names + dirs:
                os.utime(os.path.join(folder, name), (when, when), follow_symlinks=False)
        again(world, f"files of a clock {hours} h off", compiles=0)
        now = time.time()
        for name in ("k1.kernel.o", "k1.kernel.o.d"):
            age = now - os.stat(os.path.join(world.build, name)).st_mtime
            require(-5 < age < 60, f"a restored {name} is {age:.0f} s old")
        r = world.run([world.pkc, "gc"])
        require(r.returncode == 0, "gc: " + r.stderr.decode())
    text = read(world.kernel(1)).decode()
    write(world.kernel(1), text + "// changed\n")
    when = time.time() - 3600
    os.utime(world.kernel(1), (when, when))
    again(world, "an edit with an old time", compiles=1)


def restarted(world):
    """After a start of the system, files are not told by stamps that may be older than it: the power
    may have failed. A generation is whole, and a group's parts are looked at again."""
    start = os.path.join(world.root, "start")
    env = shimmed(world, PKC_FAULT_START=start)
    if env is None:
        return skipped("no library can be preloaded: a start of the system")
    factors = (1,) * 6
    state = os.path.join(world.large, "t.state")
    mark = "zzz.gone zzz gone %s %s 4 0\nform\n" % ("0" * 64, "1" * 64)

    def generation_is_whole(name):
        """A whole one drops from the state what it knows nothing of."""
        write(start, name + "\n")
        if os.path.exists(state):
            with open(state, "a") as f:
                f.write(mark)
        r = world.run(world.target_words(world.large), env)
        require(r.returncode == 0, "a start: " + r.stderr.decode())
        text = read(state).decode()
        write(state, text.replace(mark, ""))
        return mark not in text

    def compiles(name):
        write(start, name + "\n")
        shutil.rmtree(world.store, ignore_errors=True)
        world.compiles()
        r = world.compile(source, env)
        require(r.returncode == 0, "a start: " + r.stderr.decode())
        world.check_group(source, kernels)
        return world.compiles()

    world.write_target(factors)
    require(generation_is_whole("one"), "the first generation is no whole one")
    require(not generation_is_whole("one"), "a generation in the same run of the system is whole")
    require(generation_is_whole("two"), "after a start of the system, stamps are believed")
    require(not generation_is_whole("two"), "the second generation after a start is whole")
    kernels = (1, 2, 3)
    source = world.group(kernels)
    time.sleep(0.05)
    for name, count in (("one", 3), ("one", 0), ("two", 3), ("two", 0)):
        got = compiles(name)
        require(got == count, f"run {name} of the system: {got} parts compiled, not {count}")
    return None


def newer_schema(world):
    build(world, "fill", 3)
    path = os.path.join(world.store, "manifest.sqlite")
    import sqlite3
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = DELETE")
    db.execute("PRAGMA user_version = 1000")
    db.commit()
    db.close()
    before = read(path)
    said = again(world, "a later version's store")
    require("later version" in said, f"a later version's store: {said!r}")
    for command in ("gc", "verify", "stats", "clear"):
        r = world.run([world.pkc, command])
        require(r.returncode == 1 and b"later version" in r.stderr,
                f"{command} on a later version's store: {(r.stdout + r.stderr).decode()}")
    require(read(path) == before, "a later version's manifest was changed")


# ---- keys ----------------------------------------------------------------------------------------


def key_of(world, place, cxx, env, umask, flags=("-O2", "-march=native")):
    build_dir = os.path.join(place, "build")
    program = ("import os, sys; os.umask(int(sys.argv[1], 8)); "
               "os.chdir(sys.argv[2]); os.execv(sys.argv[3], sys.argv[3:])")
    generated = subprocess.run(
        [sys.executable, "-c", program, umask, place, world.pkc, "generate", "-o", "gen",
         os.path.join(place, "kernels.py")], env=env, capture_output=True, check=False)
    require(generated.returncode == 0, "generate: " + generated.stderr.decode())
    found = {}
    for folder, _, names in os.walk(os.path.join(place, "gen")):
        for name in sorted(names):
            if not name.endswith(".kernel.cpp"):
                continue
            r = subprocess.run(
                [sys.executable, "-c", program, umask, build_dir, world.pkc, "key", "--",
                 "--compiler=" + cxx, "--", cxx, *flags, "-I" + os.path.join(place, "inc"),
                 "-isystem", world.real_include, "-o", "x.o", "-c", os.path.join(folder, name)],
                env=env, capture_output=True, check=False)
            require(r.returncode == 0, "key: " + r.stderr.decode())
            found[name] = r.stdout.decode().strip()
    require(len(found) == 2 and all(len(k) == 64 for k in found.values()), f"keys: {found}")
    return found


def keys(world, cxx):
    first = os.path.join(world.place, "checkout")
    second = os.path.join(world.place, "far", "deeper", "an other")
    # the files in another order on disk
    for place, order in ((first, ("inc/a.hpp", "inc/b.hpp")), (second, ("inc/b.hpp", "inc/a.hpp"))):
        os.makedirs(os.path.join(place, "build"))
        for name in order:
            write(os.path.join(place, name), f"// {name}\n")
        write(os.path.join(place, "kernels.py"), KERNELS.format(factor=2))
    base = {**world.env, "PYKOKKOS_CACHE_DIR": os.path.join(world.place, "s1")}
    want = key_of(world, first, cxx, base, "022")
    others = [
        ("another checkout", second, {}, "022"),
        ("locale", second, {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8"}, "022"),
        ("C.UTF-8", second, {"LC_ALL": "C.UTF-8"}, "022"),
        ("time zone", first, {"TZ": "Asia/Kathmandu"}, "022"),
        ("HOME", first, {"HOME": "/nonexistent"}, "022"),
        ("umask", second, {}, "077"),
        ("umask", second, {}, "000"),
        ("noise", first, {"ZZZ": "1", "PYTHONHASHSEED": "7", "COLUMNS": "20", "USER": "x"}, "022"),
        ("another store", second, {"PYKOKKOS_CACHE_DIR": os.path.join(world.place, "s2")}, "022"),
        ("no store", first, {"PYKOKKOS_CACHE_DISABLE": "1"}, "022"),
    ]
    for what, place, env, umask in others:
        shutil.rmtree(os.path.join(place, "gen"), ignore_errors=True)
        got = key_of(world, place, cxx, {**base, **env}, umask)
        require(got == want, f"{what}: the keys differ: {got} {want}")
    # and what has to change them does
    for what, flags in (("flags", ("-O3", "-march=native")), ("no -march", ("-O2",))):
        require(not set(key_of(world, first, cxx, base, "022", flags).values()) &
                set(want.values()), f"{what}: the same keys")
    r = world.run([world.pkc, "key", "--explain", "--", "--compiler=" + cxx, "--", cxx, "-O2",
                   "-I" + world.inc, "-o", "x.o", "-c", world.kernel(1)])
    for part in ("text", "headers", "flags", "compiler", "environment", "paths"):
        require(f"\n{part} " in "\n" + r.stdout.decode(), f"no {part} in {r.stdout.decode()}")


TESTS = [read_only, full_disk, over_quota, network, no_home, bad_tmpdir, other_owner, writable_by_others, deleted, links,
         clocks, restarted, newer_schema]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("pkc")
    p.add_argument("compiler")
    p.add_argument("cxx")
    p.add_argument("include")
    p.add_argument("shim", nargs="?")
    args = p.parse_args()
    world = World(os.path.abspath(args.pkc), os.path.abspath(args.compiler))
    world.shim = os.path.abspath(args.shim) if args.shim else None
    world.real_include = os.path.abspath(args.include)
    problems = []
    try:
        for test in TESTS + [lambda w: keys(w, args.cxx)]:
            name = test.__name__ if test.__name__ != "<lambda>" else "keys"
            fresh(world, name)
            try:
                test(world)
                print(f"{name}: done", flush=True)
            except Wrong as e:
                problems.append(f"{name}: {e}")
    finally:
        world.close()
    report("places", problems, f"{len(TESTS) + 1} tests")


if __name__ == "__main__":
    main()
