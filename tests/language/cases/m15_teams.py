"""Teams: nested patterns, captures, barriers, single."""
import pkstub
import pykokkos as pk


@pk.workunit
def matrix_vector(team: pk.TeamMember, acc: pk.Acc[pk.double], cols: int, y: pk.View1D[pk.double], x: pk.View1D[pk.double], m: pk.View2D[pk.double]):
    j: int = team.league_rank()

    def row(i: int, inner: pk.Acc[pk.double]):
        inner += m[j][i] * x[i]

    t: float = pk.parallel_reduce(pk.TeamThreadRange(team, cols), row)
    if team.team_rank() == 0:
        acc += y[j] * t


@pk.workunit
def nested(team: pk.TeamMember, m: pk.View2D[pk.int64], out: pk.View1D[pk.int64]):
    r = team.league_rank()

    def outer(j: int):
        def inner(k: int, total: pk.Acc[pk.int64]):
            total += m[r, k] * (j + 1)

        s = pk.parallel_reduce(pk.ThreadVectorRange(team, 1, 3), inner)
        m[r][0] += s * w

    w = 2
    pk.parallel_for(pk.TeamThreadRange(team, 2), outer)
    team.team_barrier()

    def last():
        out[r] = m[r, 0] + team.league_size() * 1000

    pk.single(pk.PerTeam(team), last)


@pk.workunit
def start_value(team: pk.TeamMember, out: pk.View1D[pk.int64]):
    def add(k: int, acc: pk.Acc[pk.int64]):
        acc += k

    out[team.league_rank()] = 2 * pk.parallel_reduce(pk.TeamVectorRange(team, 4), add, initial_value=100)


_M = [[1, 2, 3], [4, 5, 6]]
INPUTS = {
    "matrix_vector": dict(n=2, kind="team", args={"cols": ("scalar", 3), "y": ("float64", [2.0, 0.5]), "x": ("float64", [1.0, 2.0, 3.0]), "m": ("float64", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])}, out={}),
    "nested": dict(n=2, kind="team", args={"m": ("int64", _M)}, out={"m": "int64", "out": "int64"}),
    "start_value": dict(n=2, kind="team", args={}, out={"out": "int64"}),
}


def expected():
    answers = pkstub.expected({k: v for k, v in INPUTS.items() if k != "matrix_vector"}, globals())
    answers["matrix_vector"] = {"result": 2.0 * 14.0 + 0.5 * 32.0}
    return answers
