"""Inner functions: captures by reference, nonlocal, defined before what they capture; classes."""
import pkstub
import pykokkos as pk


@pk.workunit
def captures(i: int, v: pk.View1D[pk.int64], out: pk.View1D[pk.int64]):
    def add(k: int) -> int:
        return v[k] + w * 10

    w = 3
    a = add(i)
    w = 5
    out[i] = a * 1000 + add(i)


@pk.workunit
def shadows(i: int, out: pk.View1D[pk.int64]):
    x = 1

    def set_own():
        x = 50
        return x

    y = set_own()
    out[i] = x * 100 + y


@pk.workunit
def changes(i: int, out: pk.View1D[pk.int64]):
    x = 1

    def bump(by):
        nonlocal x
        x += by

    bump(4)
    bump(i)
    out[i] = x + (x + bump_and_get(x))


def bump_and_get(x):
    x += 1
    return x


@pk.workunit
def order(i: int, out: pk.View1D[pk.int64]):
    x = 1

    def next_value():
        nonlocal x
        x = x * 2 + 1
        return x

    out[i] = x * 10000 + next_value() * 100 + x


@pk.workunit
def untyped(i: int, out: pk.View1D[pk.double]):
    def half(x):
        return x / 2

    def twice(x):
        return half(x) * 4

    out[i] = half(i) + twice(0.5)


@pk.classtype
class Point:
    def __init__(self, x: float, y: float):
        self.x: float = x
        self.y: float = y
        self.n: int = 0

    def length2(self) -> float:
        return self.x * self.x + self.y * self.y

    def move(self, by: float) -> None:
        self.x += by
        self.n += 1


@pk.classtype
class Segment:
    def __init__(self, a: Point, scale: int):
        self.a: Point = Point(a.x * scale, a.y)
        self.scale: int = scale

    def far(self) -> float:
        return self.a.length2() + self.scale


@pk.function
def shift(p: Point, by: float) -> None:
    p.y = p.y + by


@pk.function
def made(x: float) -> Point:
    return Point(x, x + 1)


@pk.workunit
def objects(i: int, out: pk.View2D[pk.double]):
    p: Point = Point(i, 2.0)
    out[i, 0] = p.length2()
    p.move(0.5)
    shift(p, 1)
    out[i, 1] = p.length2() + p.n
    q = made(3.0)
    out[i, 2] = q.x * 10 + q.y
    s = Segment(p, 2)
    s.a.x += 1
    out[i, 3] = s.far() + p.x


INPUTS = {
    "captures": dict(n=2, args={"v": ("int64", [1, 2])}, out={"out": "int64"}),
    "shadows": dict(n=1, args={}, out={"out": "int64"}),
    "changes": dict(n=2, args={}, out={"out": "int64"}),
    "order": dict(n=1, args={}, out={"out": "int64"}),
    "untyped": dict(n=3, args={}, out={"out": "float64"}),
    "objects": dict(n=3, args={"out": ("float64", [[0.0] * 4] * 3)}, out={"out": "float64"}),
}


def expected():
    return pkstub.expected(INPUTS, globals())
