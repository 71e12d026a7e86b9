"""Syntax up to Python 3.11 that no workunit holds: it must be read, and read right."""
from __future__ import annotations

import asyncio
import os.path as path, sys
from . import (sibling, other as renamed,)
from ..package.module import *

x = y = (1,)
a, *b = c, (d, [e, f]) = [1, 2], (3, [4, 5])
(g), [h] = 1, [2]
n: int
m: "List[int]" = 0x_ff, 0o17, 0b1_0, 1_000.5e-3, 1e5j, .5, 5., 0_0
(k): int = 3
obj.attr: int = 1
obj[0]: tuple[int, ...] = ()
x += 1; x -= 1; x *= 2; x /= 2; x //= 2; x %= 2; x **= 2; x >>= 1; x <<= 1; x &= 1; x ^= 1; x |= 1
x @= y
del x, (y, z), [w], obj.attr, obj[1:2, ::3, ...]
assert a < b <= c != d == e > f >= g is h is not i in j not in k, "message"
s = 'a' "b" r'\n' '''c
d''' u"e" "\x41\u00e9\U0001F600\101\
joined\q"
t = b'bytes' rb'\x00' b"\xff\0"
u = f"{a}{b!r:>{width}.{precision}}{{literal}}{c=}{d = !s}{e:%Y-%m-%d}" f'{x["key"]}' "plain"
v = f"""{
    a + 1
}{lambda_ if (lambda: 1)() else {1: 2}[1]}"""
w = not a, -b ** -c, ~d + +e, a if b else c if d else e, a or b and c or not d
w2 = a ^ b & c | d ^ e & f, (a & b) ^ (c | d), a << b + c, a - (b - c) - d, a @ b / c // d % e
w3 = await_ ** 2 if True else None, ..., False
w4 = (yield_ := 5), [y := 1, y ** 2]
call = f(*args, a, *more, key=1, **kwargs)(x for x in y)(lambda: 0, lambda *a, b=1, **k: a)
comp = [i * j for i in a if i if not i for j in b], {i for i in a}, {i: j for i, j in c}, (i for i in a)
comp2 = [lambda: i for i, in a for (j, k) in b for l.m, n[0] in c]
d1 = {**a, 1: 2, **b, 'x': [*a, *b], (): {*a, b}}
sl = a[1], a[1:], a[:2], a[::3], a[:, None], a[*b], a[1:2, 3], a[b, *c], a[b,]
star = *a, *b
print(*a, sep='')
print >> a, b
exec = print
match = case = type = _ = 1
match[0] = type(x)[1] = 2
type(x).attribute = 3
type[0] = 1
lambda x, /, y, *, z=1: (x, y, z)


def f(a, b: int = 1, /, c=2, *args: *Ts, d, e: str = 'x', **kwargs: dict) -> Optional[int] | None:
    global x, y
    def inner():
        nonlocal a, b
        return
    yield
    z = yield a, b
    yield from c
    return *a, b


@decorator
@some.other(argument, key=word)[0].thing
@(lambda f: f)
async def g():
    async for i in a: await b
    else: pass
    async with a as b, c: pass
    return await x ** 2, await f(x), [await i async for i in y if await z]


class C(Base, metaclass=Meta, **kw):
    """Docs."""
    a: int = 1
    def method(self): return super().method()
    class Inner: pass
class D(): x = 1; y = 2

if a: pass
elif b: pass
elif c:
    pass
else:
    if d: pass
while a: break
else: pass
for i, (j, *k) in a, b: continue
else:
	x = 1
	if x:
		y = 2
try: pass
except: pass
try:
    pass
except A: raise
except (B, C) as e: raise B from e
except d.e as f:
    raise B()
else: pass
finally: pass
try: pass
except* A: pass
except *B as e: pass
with a: pass
with a as b, c as (d, e), f() as g.h, i as j[0]: pass
with (a): pass
with (a, b): pass
with (a as b, c): pass
with (a as b, c as d,): pass
with (a, b) as c: pass
with (yield_): pass
with a, (b, c): pass

match x:
    case 1 | -2 | 3.5 | -4 + 5j | 'six' 'seven' | None | True:
        pass
    case [a, b, *rest] | (a, b, *_) if a > b:
        pass
    case {'k': v, -1: w, a.b: 3, **rest}:
        pass
    case Point(x=0, y=[_, z]) | geometry.Point(1, q, r=3) as p:
        pass
    case (a) | (b,) | () | []:
        pass
    case a, b:
        pass
    case *_, last:
        pass
    case _:
        pass
match x, y:
    case {}: pass
match (x):
    case str(): pass
match *a, b:
    case [[]]: pass
match = {match: case for match in case}


def continued(first,
  second):
    value = first + \
        second
    text = (first.
second + # comment
   third)
    return [
        value,
 text
    ]


if True:
    def indented():
        # a comment
      # less
            # more
        return 1
    # trailing
été = naïve = ß = 1
print(été, naïve, ß)
