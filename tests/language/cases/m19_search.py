"""lower_bound and upper_bound on views and parts of them; inclusive_scan by a team."""
import pkstub
import pykokkos as pk


@pk.workunit
def bounds(i: int, v: pk.View1D[pk.int32], w: pk.View2D[pk.double], out: pk.View2D[pk.int64]):
    out[i, 0] = pk.lower_bound(v, 10, i)
    out[i, 1] = pk.upper_bound(v, 10, i)
    out[i, 2] = pk.lower_bound(v, 4, 2.5)
    out[i, 3] = pk.lower_bound(w[1, :], 5, i)
    out[i, 4] = pk.upper_bound(w[:, i % 2], 2, i * 0.75)
    out[i, 5] = lower_bound(v, 0, i) + v[pk.upper_bound(v, 10, 3) - 1]


@pk.workunit
def unsigned(i: int, v: pk.View1D[pk.uint64], x: pk.View1D[pk.int64], out: pk.View2D[pk.int64]):
    out[i, 0] = pk.lower_bound(v, 4, x[i])
    out[i, 1] = pk.upper_bound(v, 4, v[i])


@pk.workunit
def scan(team: pk.TeamMember, v: pk.View2D[pk.int32], x: pk.View1D[pk.double]):
    r = team.league_rank()
    pk.inclusive_scan(team, v[r, :])
    team.team_barrier()
    x[r] = v[r, -1] / 2


def sort_on_the_host(keys, values):
    """PyKokkos' BinSort is host code, which is not followed."""
    operation = pk.BinOp1D(keys, 10, 0, 100)
    sorter = pk.BinSort(keys, operation, True)
    sorter.create_permute_vector()
    sorter.sort(values)


pkstub.bare_functions(globals())
INPUTS = {
    "bounds": dict(n=9, args={"v": ("int32", [-1, 0, 2, 2, 2, 3, 5, 6, 6, 9]), "w": ("float64", [[0.0, 1.5, 1.5, 2.0, 4.0], [0.5, 1.0, 3.0, 3.0, 8.0]]),
                              "out": ("int64", [[0] * 6] * 9)}, out={"out": "int64"}),
    "unsigned": dict(n=4, args={"v": ("uint64", [0, 5, 1 << 63, (1 << 64) - 1]), "x": ("int64", [-1, 0, 5, 6]), "out": ("int64", [[0] * 2] * 4)}, out={"out": "int64"}),
    "scan": dict(n=3, kind="team", args={"v": ("int32", [[1, 2, 3, 4], [5, -5, 1, 0], [2000000000, 2000000000, 1, 1]]), "x": ("float64", [0.0] * 3)},
                 out={"v": "int32", "x": "float64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
