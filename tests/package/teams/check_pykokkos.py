"""check_pykokkos.py FOLDER SIZE...: PyKokkos' own team workunits, unchanged, against NumPy and plain
loops: the scratch memory tutorial, a test of scratch views, ExaMiniMD's neighbour lists."""
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import pk_teams  # noqa: E402

neighbor = pk_teams.neighbor_2d
rng = np.random.default_rng(3)


def check_scratch_memory(size, threads):
    e, n, m = 6, 5, 17
    y, x, a = (rng.integers(0, 5, s).astype(float) for s in ((e, n), (e, m), (e, n, m)))
    w = pk_teams.team_scratch_memory.Workload(N=n, M=m, E=e, nrepeat=1, y=y, x=x, A=a, result=0.0,
                                              timer_result=0.0)
    policy = pk_teams.TeamPolicy(e, size, 32).set_scratch_size(0, pk_teams.PerTeam(8 * m))
    assert w.yAx(policy) == np.einsum("en,enm,em->", y, a, x)
    pk_teams.test_AST_translator.scratch_with_double_float(pk_teams.TeamPolicy(2, size))


def bins_of(x, cut, side):
    """Positions in bins of the cutoff's width, with a halo of empty ones around."""
    inner = int(side / cut)
    at = np.minimum((x / (side / inner)).astype(int), inner - 1) + 1
    order = np.lexsort((at[:, 2], at[:, 1], at[:, 0])).astype(np.int32)
    count = np.zeros((inner + 2,) * 3, np.int32)
    for b in at:
        count[tuple(b)] += 1
    offsets = (np.cumsum(count.ravel()) - count.ravel()).reshape(count.shape).astype(np.int32)
    return inner, count, offsets, order


def check_neighbors(size, threads):
    n, cut, side, most = 120, 1.0, 4.0, 64
    x = rng.uniform(0, side, (n, 3))
    inner, count, offsets, order = bins_of(x, cut, side)
    near = ((x[:, None] - x[None]) ** 2).sum(axis=2) <= cut * cut
    itself = np.eye(n, dtype=bool)
    # The half list takes each pair once, and each atom itself.
    later = np.array([[tuple(b) >= tuple(a) for b in x] for a in x])
    for half in (False, True):
        for limit in (most, 2):
            found, neighs = np.zeros(n, np.int32), np.full((n, limit), -1, np.int32)
            resize, new = np.zeros(1, np.int32), np.zeros(1, np.int32)
            arguments = dict(neigh_cut=cut, resize=resize, new_maxneighs=new, N_local=n, nhalo=1,
                             nbiny=inner, nbinz=inner, maxneighs=limit, num_neighs=found,
                             neighs=neighs, bin_offsets=offsets, bin_count=count,
                             permute_vector=order, x=x)
            policy = pk_teams.TeamPolicy(inner ** 3, size)
            if half:
                neighbor.fill_neigh_list_half(policy, comm_newton=False, **arguments)
            else:
                neighbor.fill_neigh_list_full(policy, **arguments)
            for i in range(n):
                want = set(np.nonzero(near[i] & (later[i] if half else ~itself[i]))[0].tolist())
                assert found[i] == len(want), (half, i, found[i], want)
                got = set(neighs[i, :min(found[i], limit)].tolist())
                assert got == want if len(want) <= limit else got < want, (i, got, want)
            assert resize[0] == (found.max() > limit) and (new[0] > limit) == (found.max() > limit)


for argument in sys.argv[2:]:
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            check(argument if argument == "AUTO" else int(argument), 0)
print("ok", *sys.argv[2:])
