"""Syntax of Python 3.12 to 3.14; compared only by interpreters that can read it."""
import pykokkos as pk

type Alias = int
type Generic[T: int, *Ts, **P = [int]] = dict[T, P]


def generic[T: (int, str), U = int](x: T, y: U) -> T:
    return x


class Box[T]:
    type Inner = list[T]


nested = f"{"same quotes"} {f'{f"{1 + 1}"}'} {x!r:{"<"}}{'\n'.join(a)}"
template = t"hello {name!r:>{width}}"
try:
    pass
except ValueError, TypeError, KeyError:
    pass
except OSError, EOFError:
    pass


@pk.workunit
def works(i: int, x: pk.View1D[int]):
    x[i] = i
