"""Random pools: the numbers of Kokkos' XorShift64 generator, and the state that is left."""
import pkstub
import pykokkos as pk


@pk.workunit
def dtypes(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View2D[pk.double], k: pk.View2D[pk.int64], u: pk.View1D[pk.uint64]):
    x[i, 0] = pk.rand(pk.double)
    x[i, 1] = pk.rand(pk.float)
    x[i, 2] = pk.rand(pk.double, 10.0)
    x[i, 3] = pk.rand(pk.float64, -1, 1)
    k[i, 0] = pk.rand(pk.int32)
    k[i, 1] = pk.rand(pk.int64, 6)
    k[i, 2] = pk.rand(int, -3, 4)
    k[i, 3] = pk.rand(pk.uint32, 5, 7)
    u[i] = pk.rand(pk.uint64)


@pk.function
def walk(generator, steps: int) -> int:
    at: int = 0
    for s in range(steps):
        at += 1 if generator.drand() < 0.5 else -1
    return at


@pk.workunit
def generators(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View2D[pk.double], k: pk.View2D[pk.int64]):
    g = pool.get_state()
    k[i, 0] = g.rand()
    k[i, 1] = g.rand(100) + g.rand(i, i + 2)
    k[i, 2] = g.urand64() % 1000
    if g.drand() < 0.5:
        k[i, 3] = walk(g, 10)
    else:
        k[i, 3] = g.rand64(-5, 5)
    x[i, 0] = g.drand(2.0, 3.0)
    x[i, 1] = g.frand()
    x[i, 2] = g.drand() - g.drand()
    pool.free_state(g)


@pk.workunit
def hits(i: int, acc: pk.Acc[pk.int64], pool: pk.Random_XorShift64_Pool):
    x: float = pk.rand(pk.double)
    y: float = pk.rand(pk.double)
    if x * x + y * y < 1:
        acc += 1


@pk.workunit
def gauss(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    g = pool.get_state()
    x[i] = g.normal() + g.normal(1.0, 0.5)


@pk.workunit
def captured(i: int, pool: pk.Random_XorShift64_Pool, x: pk.View1D[pk.double]):
    def draw() -> float:
        g = pool.get_state()
        return g.drand() - pk.rand(pk.double)

    x[i] = draw() + draw()


@pk.workunit
def teams(team: pk.TeamMember, pool: pk.Random_XorShift64_Pool, x: pk.View2D[pk.double]):
    r: int = team.league_rank()

    def fill(j: int):
        x[r, j] = pk.rand(pk.double, 2.0)

    pk.parallel_for(pk.TeamThreadRange(team, 3), fill)


@pk.functor
class Noise:
    def __init__(self, pool, x):
        self.pool: pk.Random_XorShift64_Pool = pool
        self.x: pk.View1D[pk.double] = x

    @pk.workunit
    def fill(self, i: int, scale: float):
        def more() -> float:
            return pk.rand(pk.double)

        self.x[i] = scale * pk.rand(pk.double) + more()


_SEED = ("uint64", [88172645463325252])
_OUT = {"pool": "uint64", "x": "float64"}
INPUTS = {
    "dtypes": dict(n=5, args={"pool": _SEED, "x": ("float64", [[0.0] * 4] * 5), "k": ("int64", [[0] * 4] * 5)},
                   out={**_OUT, "k": "int64", "u": "uint64"}),
    "generators": dict(n=20, args={"pool": _SEED, "x": ("float64", [[0.0] * 3] * 20), "k": ("int64", [[0] * 4] * 20)},
                       out={**_OUT, "k": "int64"}),
    "hits": dict(n=1000, kind="reduce", args={"pool": _SEED}, out={"pool": "uint64"}),
    "captured": dict(n=6, args={"pool": _SEED}, out=_OUT),
    "teams": dict(n=4, kind="team", args={"pool": _SEED, "x": ("float64", [[0.0] * 3] * 4)}, out=_OUT),
    "gauss": dict(n=50, args={"pool": _SEED}, out=_OUT),
    "Noise.fill": dict(n=4, fields={"pool": _SEED, "x": ("float64", [0.0] * 4)}, args={"scale": ("scalar", 2.0)}, out=_OUT),
}
TOLERANCE = {"gauss": 2}


def expected():
    return pkstub.expected(INPUTS, globals())
