"""Functions and constants that m07 imports."""
import math

FACTOR = 3
OFFSET = FACTOR * 2 + 1
RATIO: float = 0.5


def scaled(x):
    return x * FACTOR + deeper(x)


def deeper(x):
    return math.sqrt(x) if x > 4 else x


def never_called(x):
    raise ValueError(x)
