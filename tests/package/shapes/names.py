"""Names and texts that mean something elsewhere: */ ??/ @NAME@ ${X} $<CONFIG> ; \\"""
import pykokkos as pk
# */ ??/ \
@pk.workunit
def template(i: int, namespace: pk.View1D[pk.int64], this: pk.int64, typename: pk.int64):
    namespace[i] = this + typename * i

@pk.workunit
def NULL(i: int, EOF: pk.View1D[pk.int64], linux: pk.int64, unix: pk.int64, errno: pk.int64, I: pk.int64, stdin: pk.int64):
    EOF[i] = linux + 10 * unix + 100 * errno + 1000 * I + 10000 * stdin

@pk.workunit
def args(i: int, begin: pk.View1D[pk.int64], end: pk.int64, acc: pk.int64, lanes: pk.int64, work: pk.int64, given: pk.int64, pkc: pk.int64, at: pk.int64):
    """x */ doc ??/"""
    begin[i] = end + 2 * acc + 3 * lanes + 4 * work + 5 * given + 6 * pkc + 7 * at

@pk.workunit
def given(args: int, n: pk.Acc[pk.int64], names: pk.View1D[pk.int64], policy: pk.int64, reducer: pk.int64, space: pk.int64):
    n += names[args] * policy + reducer + space

@pk.workunit
def Kokkos(i: int, std: pk.View1D[pk.int64], double: pk.int64, int64_t: pk.int64):
    std[i] = double + int64_t

@pk.workunit
def std(i: int, Kokkos: pk.View1D[pk.int64], pk_: pk.int64):
    Kokkos[i] = pk_

@pk.workunit
def main(i: int, names: pk.View1D[pk.int64], main: pk.int64):
    names[i] = main

@pk.workunit
def __init__(i: int, __x: pk.View1D[pk.int64], __y__: pk.int64, _Z: pk.int64):
    __x[i] = __y__ + _Z

@pk.workunit
def été(i: int, µ: pk.View1D[pk.int64], 变量: pk.int64, ª: pk.int64):
    µ[i] = 变量 + ª

@pk.workunit
def Case(i: int, v: pk.View1D[pk.int64]):
    v[i] = 1
@pk.workunit
def case(i: int, v: pk.View1D[pk.int64]):
    v[i] = 2
@pk.workunit
def case_(i: int, v: pk.View1D[pk.int64]):
    v[i] = 3
@pk.workunit
def case__(i: int, v: pk.View1D[pk.int64]):
    v[i] = 4
@pk.workunit
def template_(i: int, template: pk.View1D[pk.int64], template_: pk.int64, template__: pk.int64):
    template[i] = template_ * 3 + template__
@pk.workunit
def printf(i: int, malloc: pk.View1D[pk.int64], free: pk.int64, exp: pk.int64):
    memcpy = free
    memset: int = exp
    malloc[i] = memcpy + memset
@pk.workunit
def memcpy(i: int, v: pk.View1D[pk.int64]):
    v[i] = 7
@pk.workunit
def exp(i: int, v: pk.View1D[pk.double], exp: pk.double):
    v[i] = exp
@pk.function
def log2x(x: float) -> float:
    return x
@pk.workunit
def assert_(i: int, v: pk.View1D[pk.double]):
    and_ = 1.0
    or_ = 2.0
    xor = 3.0
    not_eq = 4.0
    bitand = 5.0
    v[i] = and_ + or_ + xor + not_eq + bitand
@pk.workunit
def RangePolicy(i: int, v: pk.View1D[pk.int64]):
    v[i] = 11
@pk.workunit
def _(i: int, _: pk.View1D[pk.int64]):
    _[i] = 12
@pk.workunit
def PyInit_names(i: int, v: pk.View1D[pk.int64]):
    v[i] = 13
@pk.workunit
def __builtin_trap(i: int, v: pk.View1D[pk.int64], __FILE__: pk.int64, __LINE__: pk.int64, true: pk.int64, false: pk.int64, NAN: pk.int64, M_PI: pk.int64, INT_MAX: pk.int64, self: pk.int64):
    v[i] = __FILE__ + __LINE__ + true + false + NAN + M_PI + INT_MAX + self
