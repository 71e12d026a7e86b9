"""A kernel that does nothing with three arrays."""
import pykokkos as pk


@pk.workunit
def nothing(i: int, a: pk.View1D[pk.double], b: pk.View1D[pk.double], c: pk.View1D[pk.double]):
    pass
