"""Scratch memory, sized by the decorator; nested scans; what a single gives."""
import pkstub
import pykokkos as pk

ROWS = 2


@pk.workunit(scratch=[(pk.int64, lambda p: ROWS * p.n), (pk.float32, lambda p: p.team_size * 3),
                      (pk.int8, lambda p: p.m.shape[1] - 1)])
def memory(team: pk.TeamMember, n: int, m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    a = pk.ScratchView2D[pk.int64](team.team_scratch(0), ROWS, n)
    b = pk.ScratchView1D[pk.float32](team.team_scratch(0), 3)
    c = pk.ScratchView1D[pk.int8](team.team_scratch(0), n - 1)
    r = team.league_rank()

    def fill(i: int):
        a[0, i] = m[r, i] ** 2
        a[1, i] = -i

    def wrap(i: int):
        c[i] = a[0, i] * 50
        c[-1] -= 1

    pk.parallel_for(pk.TeamThreadRange(team, n), fill)
    team.team_barrier()
    b[r] = 0.1 + r
    if team.team_rank() == 0:
        pk.parallel_for(pk.ThreadVectorRange(team, n - 1), wrap)
        out[r] = a[0, 0] + a[1, n - 1] * 1000 + c[0] * 100000 + int(b[r] + 3 * b.extent(0)) + c.extent(0)


@pk.workunit
def prefix(team: pk.TeamMember, m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    r = team.league_rank()

    def exclusive(i: int, acc: pk.Acc[pk.int64], last: bool):
        if last:
            t: int = m[r, i]
            m[r, i] = acc
        else:
            t = m[r, i]
        acc += t

    def digits(i: int, acc: pk.Acc[pk.int64], last: bool):
        acc *= 10
        acc += m[r, i] % 10

    s = pk.parallel_scan(pk.TeamThreadRange(team, 3), exclusive)
    team.team_barrier()
    out[r] = s + 100 * pk.parallel_scan(pk.ThreadVectorRange(team, 3), digits, 7)


@pk.workunit
def single_value(team: pk.TeamMember, m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    r = team.league_rank()
    k = 1

    def pick() -> int:
        nonlocal k
        k = m[r, 1]
        return m[r, 2]

    def cell(i: int, j: int):
        m[i + r, j] += 100

    v = pk.single(pk.PerTeam(team), pick)
    out[r] = v * 10 + k
    if r == 0:
        pk.parallel_for(pk.TeamThreadMDRange(team, 2, 3), cell)


_M = [[1, 2, 3], [4, 5, 6]]
INPUTS = {
    "memory": dict(n=2, kind="team", args={"n": ("scalar", 3), "m": ("int64", _M)}, out={"out": "int64"}),
    "prefix": dict(n=2, kind="team", args={"m": ("int64", _M)}, out={"m": "int64", "out": "int64"}),
    "single_value": dict(n=2, kind="team", args={"m": ("int64", _M)}, out={"out": "int64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
