"""Teams: nested patterns, single, barriers, scratch memory."""
from typing import List

import pykokkos as pk

WIDTH = 2


@pk.workunit
def bilinear(team: pk.TeamMember, acc: pk.Acc[float], n: int, m: int, y: pk.View2D[float],
             x: pk.View2D[float], a: pk.View3D[float]):
    e: int = team.league_rank()
    s_x: pk.ScratchView1D[float] = pk.ScratchView1D(team.team_scratch(0), m)

    def init_scratch(i: int):
        s_x[i] = x[e][i]

    if team.team_rank() == 0:
        pk.parallel_for(pk.ThreadVectorRange(team, m), init_scratch)

    team.team_barrier()

    def team_reduce(j: int, team_acc: pk.Acc[float]):
        def vector_reduce(i: int, vector_acc: pk.Acc[float]):
            vector_acc += a[e][j][i] * s_x[i]

        row: float = pk.parallel_reduce(pk.ThreadVectorRange(team, m), vector_reduce)
        team_acc += y[e][j] * row

    total: float = pk.parallel_reduce(pk.TeamThreadRange(team, n), team_reduce)

    def once():
        nonlocal acc
        acc += total

    pk.single(pk.PerTeam(team), once)


@pk.workunit
def where_i_am(team: pk.TeamMember, out: pk.View2D[pk.int64]):
    r: int = team.league_rank() * team.team_size() + team.team_rank()
    out[r, 0] = team.league_rank()
    out[r, 1] = team.team_rank()
    out[r, 2] = team.team_size()
    out[r, 3] = team.league_size()


@pk.workunit
def joins(team: pk.TeamMember, n: int, x: pk.View2D[pk.int64], out: pk.View3D[pk.int64]):
    r: int = team.league_rank()
    t: int = team.team_rank()

    def add(i: int, acc: pk.Acc[pk.int64]):
        acc += x[r, i]

    def subtract(i: int, acc: pk.Acc[pk.int64]):
        acc -= x[r, i]

    def times(i: int, acc: pk.Acc[pk.int64]):
        acc *= x[r, i]

    def largest(i: int, acc: pk.Acc[pk.int64]):
        if x[r, i] > acc:
            acc = x[r, i]

    def smallest(i: int, acc: pk.Acc[pk.int64]):
        acc = min(acc, x[r, i])

    def mixed(i: int, acc: pk.Acc[pk.int64]):
        acc ^= x[r, i]

    def digits(i: int, acc: pk.Acc[pk.int64]):
        acc = 3 * acc + x[r, i]

    def both(i: int, acc: pk.Acc[pk.int64]):
        acc += x[r, i]
        acc *= 2

    out[r, t, 0] = pk.parallel_reduce(pk.TeamThreadRange(team, n), add)
    out[r, t, 1] = pk.parallel_reduce(pk.TeamThreadRange(team, n), add, initial_value=100)
    out[r, t, 2] = pk.parallel_reduce(pk.TeamVectorRange(team, 1, n), subtract, 7)
    out[r, t, 3] = pk.parallel_reduce(pk.TeamThreadRange(team, n), times, initial_value=3)
    out[r, t, 4] = pk.parallel_reduce(pk.TeamThreadRange(team, n), largest, initial_value=-1000)
    out[r, t, 5] = pk.parallel_reduce(pk.TeamThreadRange(team, n), smallest, initial_value=1000)
    out[r, t, 6] = pk.parallel_reduce(pk.TeamThreadRange(team, n), mixed, initial_value=5)
    out[r, t, 7] = pk.parallel_reduce(pk.TeamThreadRange(team, n), digits, initial_value=1)
    out[r, t, 8] = pk.parallel_reduce(pk.TeamThreadRange(team, n), both)
    out[r, t, 9] = pk.parallel_reduce(pk.ThreadVectorRange(team, n), add)


@pk.workunit
def scans(team: pk.TeamMember, n: int, x: pk.View2D[pk.int64], sums: pk.View2D[pk.int64],
          tops: pk.View2D[pk.int64], chain: pk.View2D[pk.int64], totals: pk.View3D[pk.int64]):
    r: int = team.league_rank()
    t: int = team.team_rank()

    def prefix(i: int, acc: pk.Acc[pk.int64], last: bool):
        if last:
            sums[r, i] = acc
        acc += x[r, i]

    def top(i: int, acc: pk.Acc[pk.int64], last: bool):
        if x[r, i] > acc:
            acc = x[r, i]
        if last:
            tops[r, i] = acc

    def add(i: int, acc: pk.Acc[pk.int64], last: bool):
        acc += x[r, i]

    def digits(i: int, acc: pk.Acc[pk.int64], last: bool):
        acc = 2 * acc + x[r, i]
        chain[r, i] = acc

    totals[r, t, 0] = pk.parallel_scan(pk.TeamThreadRange(team, n), prefix)
    totals[r, t, 1] = pk.parallel_scan(pk.TeamVectorRange(team, n), top)
    totals[r, t, 2] = pk.parallel_scan(pk.TeamThreadRange(team, n), digits)
    totals[r, t, 3] = pk.parallel_scan(pk.TeamThreadRange(team, n), top, n - 3 * r)
    totals[r, t, 4] = pk.parallel_scan(pk.TeamThreadRange(team, n), add, initial_value=2 * r)


@pk.workunit
def loops(team: pk.TeamMember, n: int, m: int, count: pk.View2D[pk.int32], box: pk.View3D[pk.int32],
          who: pk.View2D[pk.int32]):
    r: int = team.league_rank()
    w: int = 0

    def visit(i: int):
        count[r, i] += 1 + w
        who[r, i] = team.team_rank()

    def cell(i: int, j: int):
        box[r, i, j] += 10 * i + j

    def again(i: int):
        count[r, n - 1 - i] += 100

    w = 4
    pk.parallel_for(pk.TeamThreadRange(team, n), visit)
    pk.parallel_for(pk.TeamThreadMDRange(team, n, m), cell)
    team.team_barrier()
    pk.parallel_for(pk.TeamVectorRange(team, n), again)


@pk.workunit
def singles(team: pk.TeamMember, x: pk.View1D[float], out: pk.View3D[float], calls: pk.View1D[pk.int32]):
    r: int = team.league_rank()
    t: int = 0
    row: List[float] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    def pick():
        nonlocal t
        t = 7 + r
        for i in range(10):
            row[i] = x[r] * i
        calls[r] += 1

    def value() -> float:
        return x[r] / 4

    def each():
        out[r, team.team_rank(), 3] = team.team_rank()

    pk.single(pk.PerTeam(team), pick)
    shared: float = pk.single(pk.PerTeam(team), value)
    out[r, team.team_rank(), 0] = t
    out[r, team.team_rank(), 1] = row[9]
    out[r, team.team_rank(), 2] = shared
    pk.single(pk.PerThread(team), each)


@pk.workunit
def memories(team: pk.TeamMember, n: int, out: pk.View2D[pk.int64]):
    near: pk.ScratchView3D[pk.int64] = pk.ScratchView3D(team.team_scratch(0), n, 2, 3)
    far = pk.ScratchView1D[pk.int32](team.team_scratch(1), n)
    own = pk.ScratchView2D[pk.int64](team.thread_scratch(0), 2, n)
    more = pk.ScratchView1D[pk.int8](team.thread_scratch(1), n)
    r: int = team.league_rank()

    def fill(i: int):
        for j in range(2):
            for k in range(3):
                near[i, j, k] = i * 100 + j * 10 + k
        far[n - 1 - i] = i

    pk.parallel_for(pk.TeamThreadRange(team, n), fill)
    for i in range(n):
        own[0, i] = team.team_rank() + 1
        own[1, i] = 10
        more[i] = team.team_rank()
    team.team_barrier()
    s: int = 0
    for i in range(n):
        s += near[i, 1, 2] + far[i] + near.extent(2)
        s += own[0, i] * own[1, i] - 10 * more[i]
    out[r, team.team_rank()] = s


@pk.workunit
def by_data(team: pk.TeamMember, sizes: pk.View1D[pk.int32], out: pk.View1D[pk.int64]):
    r: int = team.league_rank()
    a: pk.ScratchView1D[pk.int64] = pk.ScratchView1D(team.team_scratch(0), sizes[r])

    def fill(i: int):
        a[i] = i

    def add(i: int, acc: pk.Acc[pk.int64]):
        acc += a[i]

    pk.parallel_for(pk.TeamThreadRange(team, sizes[r]), fill)
    team.team_barrier()
    s: int = pk.parallel_reduce(pk.TeamThreadRange(team, sizes[r]), add)
    if team.team_rank() == 0:
        out[r] = s


@pk.workunit(scratch=[(int, lambda p: p.team_size),
                      (pk.double, lambda q: WIDTH * q.n + q.x.shape[0])])
def declared(team: pk.TeamMember, x: pk.View1D[pk.double], n: int, out: pk.View1D[pk.double]):
    ranks: pk.ScratchView1D[int] = pk.ScratchView1D(team.team_scratch(0), team.team_size())
    a: pk.ScratchView2D[pk.double] = pk.ScratchView2D(team.team_scratch(0), n, WIDTH)
    b = pk.ScratchView1D[pk.double](team.team_scratch(0), x.extent(0))
    ranks[team.team_rank()] = 1 + team.team_rank()

    def fill(i: int):
        a[i][0] = i
        a[i][1] = 2 * i

    def copy(i: int):
        b[i] = x[i]

    pk.parallel_for(pk.TeamThreadRange(team, n), fill)
    pk.parallel_for(pk.TeamThreadRange(team, x.extent(0)), copy)
    team.team_barrier()
    if team.team_rank() == 0:
        s: float = 0.0
        for i in range(n):
            s += a[i, 0] + a[i, 1]
        for i in range(x.extent(0)):
            s += b[i]
        for i in range(team.team_size()):
            s += 1000 * ranks[i]
        out[team.league_rank()] = s


@pk.workunit(scratch=[(int, lambda p: p.team_size)])
def running(team: pk.TeamMember, v: pk.View1D[pk.int32], team_size: int):
    scratch: pk.ScratchView1D[int] = pk.ScratchView1D(team.team_scratch(0), team_size)
    i: int = team.league_rank() * team_size + team.team_rank()
    scratch[team.team_rank()] = v[i]
    team.team_barrier()
    pk.inclusive_scan(team, scratch)
    team.team_barrier()
    v[i] = scratch[team.team_rank()]


@pk.workunit
def apart(team: pk.TeamMember, n: int, out: pk.View1D[pk.double]):
    def add(i: int, acc: pk.Acc[pk.double]):
        acc += i

    if team.team_rank() == 0:
        t: float = pk.parallel_reduce(pk.TeamThreadRange(team, n), add)
        out[team.league_rank()] = t


@pk.function
def number_of(team: pk.TeamMember, size: int) -> int:
    return team.league_rank() * size + team.team_rank()


def total_of(team, x):
    def add(i: int, acc: pk.Acc[float]):
        acc += x[i]

    team.team_barrier()
    return pk.parallel_reduce(pk.TeamThreadRange(team, x.extent(0)), add)


@pk.workunit
def by_helpers(team: pk.TeamMember, x: pk.View1D[float], out: pk.View1D[float]):
    t: float = total_of(team, x)
    out[number_of(team, team.team_size())] = t + team.league_rank()


@pk.workunit
def apart_by_value(team: pk.TeamMember, n: int, out: pk.View1D[pk.double]):
    first: int = number_of(team, 0) + 1
    for i in range(3):
        if i == first:
            break
        team.team_barrier()
    out[team.league_rank()] = n


@pk.workunit
def apart_by_return(team: pk.TeamMember, n: int, out: pk.View1D[pk.double]):
    if n > 3:
        if team.team_rank() > 0:
            return
    out[team.league_rank()] = n
    team.team_barrier()
