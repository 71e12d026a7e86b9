import pykokkos as kk

from .limits import LIMIT

OFFSET = 1000
OFFSET += LIMIT


@kk.function
def deeper(x: int) -> int:
    return x - LIMIT


@kk.function
def shift(x: int) -> int:
    return deeper(x) + OFFSET


@kk.function
def scaled(x: float, factor: float) -> float:
    return x * factor


@kk.function
def nobody_calls_me(x: int) -> int:
    return x
