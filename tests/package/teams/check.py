"""check.py FOLDER SIZE...: the module `kern` of FOLDER against NumPy, for each size of a team."""
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import kern  # noqa: E402

LEAGUE = 9
rng = np.random.default_rng(5)


def fails(part, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except RuntimeError as error:
        assert part in str(error), error
        return
    raise AssertionError("no error: " + part)


def policy(size, team=0, thread=0, level=0):
    p = kern.TeamPolicy(LEAGUE, size)
    return p.set_scratch_size(level, kern.PerTeam(team), kern.PerThread(thread))


def check_bilinear(size, threads):
    n, m = 5, 33
    y, x, a = (rng.integers(0, 5, s).astype(float) for s in ((LEAGUE, n), (LEAGUE, m), (LEAGUE, n, m)))
    arrays = dict(n=n, m=m, y=y, x=x, a=a)
    assert kern.bilinear(policy(size, 8 * m), **arrays) == np.einsum("en,enm,em->", y, a, x)
    before = "the kernel takes 264 bytes a team at level 0, there are 263; give the policy set_scratch_size(0, PerTeam(264))"
    fails(before, kern.bilinear, policy(size, 8 * m - 1), **arrays)
    fails("there are 0", kern.bilinear, kern.TeamPolicy(LEAGUE, size), **arrays)
    assert kern.bilinear(kern.TeamPolicy(0, size), **arrays) == 0


def check_where(size, threads):
    out = np.full((LEAGUE * threads, 4), -1)
    kern.where_i_am(kern.TeamPolicy(LEAGUE, size), out=out)
    league, team = np.divmod(np.arange(LEAGUE * threads), threads)
    want = np.stack([league, team, 0 * team + threads, 0 * team + LEAGUE], axis=1)
    np.testing.assert_array_equal(out, want)


def check_joins(size, threads):
    for n in (0, 1, 2, 3, 7, 20):
        x = rng.integers(-3, 4, (LEAGUE, max(n, 1)))
        out = np.full((LEAGUE, threads, 10), 99)
        kern.joins(kern.TeamPolicy(LEAGUE, size), n=n, x=x, out=out)
        for r in range(LEAGUE):
            v = [int(e) for e in x[r, :n]]
            chain, both, mixed = 1, 0, 5
            for e in v:
                chain, both, mixed = 3 * chain + e, (both + e) * 2, mixed ^ e
            want = [sum(v), 100 + sum(v), 7 - sum(v[1:]), 3 * int(np.prod(v)), max(v + [-1000]),
                    min(v + [1000]), mixed, chain, both, sum(v)]
            for t in range(threads):
                assert out[r, t].tolist() == want, (n, r, t, out[r, t], want)


def check_scans(size, threads):
    for n in (0, 1, 2, 3, 7, 20):
        x = rng.integers(-3, 4, (LEAGUE, max(n, 1)))
        sums, tops, chain = (np.full_like(x, 99) for _ in range(3))
        totals = np.zeros((LEAGUE, threads, 5), dtype=np.int64)
        kern.scans(kern.TeamPolicy(LEAGUE, size), n=n, x=x, sums=sums, tops=tops, chain=chain,
                   totals=totals)
        for r in range(LEAGUE):
            v = x[r, :n]
            digits, links = 0, []
            for e in v:
                digits = 2 * digits + int(e)
                links.append(digits)
            np.testing.assert_array_equal(sums[r, :n], np.cumsum(v) - v)
            least = n - 3 * r
            np.testing.assert_array_equal(
                tops[r, :n], np.maximum(np.maximum.accumulate(v), least) if n else v)
            np.testing.assert_array_equal(chain[r, :n], links)
            want = [v.sum(), max([0] + v.tolist()), digits, max([least] + v.tolist()), 2 * r + v.sum()]
            assert (totals[r] == want).all(), (totals[r], want)


def check_loops(size, threads):
    for n in (1, 2, 5, 16):
        m = 3
        count, who = np.zeros((LEAGUE, n), np.int32), np.full((LEAGUE, n), -1, np.int32)
        box = np.zeros((LEAGUE, n, m), np.int32)
        kern.loops(kern.TeamPolicy(LEAGUE, size), n=n, m=m, count=count, box=box, who=who)
        assert (count == 105).all(), count
        assert (box == 10 * np.arange(n)[:, None] + np.arange(m)).all()
        # Consecutive parts, all of them used.
        assert (np.diff(who, axis=1) >= 0).all() and who.min() == 0
        if n % threads == 0:
            assert (who == np.arange(n) // (n // threads)).all(), who


def check_singles(size, threads):
    x = rng.normal(size=LEAGUE)
    out, calls = np.full((LEAGUE, threads, 4), -1.0), np.zeros(LEAGUE, np.int32)
    kern.singles(kern.TeamPolicy(LEAGUE, size), x=x, out=out, calls=calls)
    assert (calls == 1).all()
    for t in range(threads):
        want = np.stack([7.0 + np.arange(LEAGUE), x * 9, x / 4, np.full(LEAGUE, float(t))], axis=1)
        np.testing.assert_array_equal(out[:, t], want)


def check_memories(size, threads):
    n = 6
    p = kern.TeamPolicy(LEAGUE, size)
    p.set_scratch_size(0, kern.PerTeam(8 * 6 * n), kern.PerThread(8 * 2 * n))
    p.set_scratch_size(1, kern.PerTeam(4 * n), kern.PerThread(n))
    out = np.zeros((LEAGUE, threads), np.int64)
    kern.memories(p, n=n, out=out)
    assert (out == sum(i * 100 + 12 + i + 3 + 10 for i in range(n))).all(), out
    for level, per, name, bytes in ((0, kern.PerTeam, "a team", 288), (0, kern.PerThread, "a thread", 96),
                                    (1, kern.PerTeam, "a team", 24), (1, kern.PerThread, "a thread", 6)):
        p.set_scratch_size(level, per(bytes - 1))
        fails("takes %d bytes %s at level %d, there are %d" % (bytes, name, level, bytes - 1),
              kern.memories, p, n=n, out=out)
        p.set_scratch_size(level, per(bytes))
    fails("negative extent", kern.memories, p, n=-1, out=out)


def check_by_data(size, threads):
    """Sizes that only the run tells: an error after it, and never a write beyond."""
    sizes = np.array([3, 1, 0, 8, 2, 5, 4, 7, 6], np.int32)
    out = np.full(LEAGUE, -1)
    kern.by_data(policy(size, 64), sizes=sizes, out=out)
    assert (out == sizes * (sizes - 1) // 2).all()
    sizes[4] = 100000
    fails("takes 800000 bytes a team at level 0, there are 64 (arrays", kern.by_data, policy(size, 64),
          sizes=sizes, out=out)
    kern.by_data(policy(size, 800000), sizes=sizes, out=out)
    sizes[5] = -1
    fails("negative extent", kern.by_data, policy(size, 800000), sizes=sizes, out=out)


def check_declared(size, threads):
    for n in (0, 1, 50):
        x, out = rng.integers(0, 9, 5).astype(float), np.zeros(LEAGUE)
        kern.declared(kern.TeamPolicy(LEAGUE, size), x=x, n=n, out=out)
        assert (out == 3 * n * (n - 1) / 2 + x.sum() + 500 * threads * (threads + 1)).all(), out
    fails("negative size", kern.declared, kern.TeamPolicy(LEAGUE, size), x=x, n=-9, out=out)
    v = np.arange(1, 1 + LEAGUE * threads, dtype=np.int32)
    want = np.cumsum(v.reshape(-1, threads), axis=1).ravel()
    kern.running(kern.TeamPolicy(LEAGUE, size), v=v, team_size=threads)
    np.testing.assert_array_equal(v, want)
    fails("there are %d" % (4 * threads), kern.running, kern.TeamPolicy(LEAGUE, size), v=v,
          team_size=threads + 1)


def check_apart(size, threads):
    out = np.zeros(LEAGUE)
    if threads == 1:
        kern.apart(kern.TeamPolicy(LEAGUE, size), n=4, out=out)
        assert (out == 6).all()
    else:
        fails("only some threads of a team come to its parallel_reduce", kern.apart,
              kern.TeamPolicy(LEAGUE, size), n=4, out=out)


def check_apart_unseen(size, threads):
    """Where some leave a loop or the workunit before the others come to a barrier."""
    out = np.zeros(LEAGUE)
    for call in (kern.apart_by_value, kern.apart_by_return):
        if threads == 1:
            call(kern.TeamPolicy(LEAGUE, size), n=4, out=out)
            assert (out == 4).all()
        else:
            fails("only some threads of a team come to its team_barrier()", call,
                  kern.TeamPolicy(LEAGUE, size), n=4, out=out)


def check_helpers(size, threads):
    x, out = rng.integers(0, 9, 12).astype(float), np.zeros(LEAGUE * threads)
    kern.by_helpers(kern.TeamPolicy(LEAGUE, size), x=x, out=out)
    np.testing.assert_array_equal(out, x.sum() + np.arange(LEAGUE).repeat(threads))


for argument in sys.argv[2:]:
    size = argument if argument == "AUTO" else int(argument)
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            check(size, 1 if size == "AUTO" else size)
too_many = 65
fails("a team size of %d is too large" % too_many, kern.where_i_am, kern.TeamPolicy(1, too_many),
      out=np.zeros((65, 4), np.int64))
print("ok", *sys.argv[2:])
