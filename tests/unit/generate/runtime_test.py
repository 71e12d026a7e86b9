"""The Python runtime, over the hand-written module of runtime_example.cpp."""
import array
import gc
import inspect
import subprocess
import sys
import threading
import tracemalloc
import unittest
import weakref

import numpy as np

import runtime_example as ex
import runtime_example2 as ex2

kernels = ex.kernels


def message_of(test, error, call, *args, **kwargs):
    with test.assertRaises(error) as caught:
        call(*args, **kwargs)
    return str(caught.exception)


class Calls(unittest.TestCase):
    def test_keywords_and_positions(self):
        for call in (
            lambda x: kernels.scale(4, x=x, k=3.0),
            lambda x: kernels.scale(4, x, 3.0),
            lambda x: kernels.scale(4, x, k=3.0),
            lambda x: kernels.scale(4, k=3.0, x=x),
            lambda x: kernels.scale(policy=4, k=3.0, x=x),
            lambda x: kernels.scale(*[4], **{"x": x, "k": 3.0}),
            lambda x: kernels.scale(4, **{"".join(["", "x"]): x, "".join(["k", ""]): 3.0}),
        ):
            x = np.arange(5.0)
            self.assertIsNone(call(x))
            self.assertEqual(x.tolist(), [0, 3, 6, 9, 4])

    def test_wrong_arguments(self):
        x = np.zeros(3)
        cases = [
            ((3,), {}, "scale() missing 2 required positional arguments: 'x' and 'k'"),
            ((), {}, "scale() missing 3 required positional arguments: 'policy', 'x', and 'k'"),
            ((3,), {"x": x}, "scale() missing 1 required positional argument: 'k'"),
            ((3, x, 1.0), {"k": 1.0}, "scale() got multiple values for argument 'k'"),
            ((3, x, 1.0), {"policy": 1}, "scale() got multiple values for argument 'policy'"),
            ((3, x), {"q": 1.0}, "scale() got an unexpected keyword argument 'q'"),
            ((3, x, 1.0, 2), {}, "scale() takes 3 positional arguments but 4 were given"),
            ((3, x, 1.0), {"reducer": "Sum"},
             "scale() got an unexpected keyword argument 'reducer'"),
        ]
        for args, kwargs, expected in cases:
            self.assertEqual(message_of(self, TypeError, kernels.scale, *args, **kwargs), expected)

    def test_parameters_named_as_keywords(self):
        self.assertEqual(kernels.names(5, 2, 3), 30)
        self.assertEqual(kernels.names(5, policy=2, reducer=3), 30)
        message_of(self, TypeError, kernels.names, policy=2, reducer=3)

    def test_many_parameters(self):
        values = list(range(40))
        expected = sum((i + 1) * v for i, v in enumerate(values))
        self.assertEqual(kernels.many(1, *values), expected)
        self.assertEqual(kernels.many(1, **{f"p{i}": v for i, v in enumerate(values)}), expected)
        text = message_of(self, TypeError, kernels.many, 1, *values[:-1])
        self.assertIn("'p39'", text)

    def test_introspection(self):
        self.assertEqual(str(inspect.signature(kernels.scale)), "(policy, x, k)")
        self.assertEqual(str(inspect.signature(kernels.dot)), "(policy, x, y, *, reducer=None)")
        self.assertEqual(str(inspect.signature(ex.Lattice(1, np.zeros(1)).step)), "(policy, by)")
        self.assertEqual(kernels.scale.__name__, "scale")
        self.assertEqual(ex.Lattice.step.__qualname__, "Lattice.step")
        self.assertEqual(kernels.dot.__doc__,
                         "dot(i: int, acc: Acc[double], x: View1D[double], y: View1D[double])")
        self.assertEqual(repr(kernels.scale), "<workunit kernels::scale>")
        self.assertIn("Lattice(n=3, cells=array(", repr(ex.Lattice(3, np.zeros(2))))

    def test_names(self):
        self.assertFalse(hasattr(ex, "scale"))  # two sources have one
        self.assertIs(ex.dot, kernels.dot)
        self.assertIs(ex.only_here, kernels.only_here)
        self.assertIsNot(kernels.scale, ex.sub.a.scale)
        x = np.ones(2)
        getattr(ex, "größe")(2, x=x, k=4.0)
        self.assertEqual(x.tolist(), [4, 4])

    def test_as_class_attribute(self):
        class Holder:
            run = kernels.largest

        self.assertEqual(Holder().run(2, np.array([1.0, 9.0]), reducer="Max"), 9.0)


class Policies(unittest.TestCase):
    def scaled(self, policy):
        x = np.ones(6)
        kernels.scale(policy, x, 2.0)
        return [i for i in range(6) if x[i] == 2]

    def test_ranges(self):
        everything = list(range(6))
        self.assertEqual(self.scaled(6), everything)
        self.assertEqual(self.scaled(np.int32(6)), everything)
        self.assertEqual(self.scaled((2, 5)), [2, 3, 4])
        self.assertEqual(self.scaled([2, np.int64(5)]), [2, 3, 4])
        self.assertEqual(self.scaled(ex.RangePolicy(1, 3)), [1, 2])
        self.assertEqual(self.scaled(ex2.RangePolicy(1, 3)), [1, 2])  # of another module
        dynamic = ex.RangePolicy(0, 6, chunk_size=2, schedule="dynamic")
        self.assertEqual(self.scaled(dynamic), everything)
        self.assertEqual((dynamic.begin, dynamic.end, dynamic.chunk_size, dynamic.schedule),
                         (0, 6, 2, "dynamic"))
        for nothing in (0, -3, (4, 4), (5, 2)):
            self.assertEqual(self.scaled(nothing), [])

    def test_wrong_ranges(self):
        x = np.ones(6)
        for wrong in ("6", 6.0, None, (1, 2, 3), (1,), object(), ex.TeamPolicy(3),
                      ex.MDRangePolicy([0, 0], [1, 1]), (0, 2.5), x):
            self.assertIn("policy", message_of(self, TypeError, kernels.scale, wrong, x, 1.0))
        message_of(self, OverflowError, kernels.scale, 2**70, x, 1.0)
        message_of(self, ValueError, ex.RangePolicy, 0, 1, schedule="guided")
        message_of(self, ValueError, ex.RangePolicy, 0, 1, chunk_size=-1)
        message_of(self, TypeError, ex.RangePolicy, 0)
        message_of(self, TypeError, ex.RangePolicy, 0, "1")

    def filled(self, policy, shape=(4, 3)):
        views = (np.zeros(shape, np.int32), np.zeros(shape, np.int32, order="F"),
                 np.zeros((2 * shape[0], 3 * shape[1]), np.int32)[::2, ::3])
        kernels.fill(policy, *views)
        self.assertEqual(views[0].tolist(), views[1].tolist())
        self.assertEqual(views[0].tolist(), views[2].tolist())
        return views[0].tolist()

    def test_mdranges(self):
        full = [[10 * i + j for j in range(3)] for i in range(4)]
        part = [[10 * i + j if 1 <= i < 3 and 0 <= j < 2 else 0 for j in range(3)]
                for i in range(4)]
        self.assertEqual(self.filled(((0, 4), (0, 3))), full)
        self.assertEqual(self.filled((4, 3)), full)
        self.assertEqual(self.filled(ex.MDRangePolicy([0, 0], [4, 3])), full)
        self.assertEqual(self.filled(ex.MDRangePolicy((0, 0), (4, 3), (2, 2))), full)
        self.assertEqual(self.filled(((1, 3), (0, 2))), part)
        self.assertEqual(self.filled((0, 3)), [[0] * 3] * 4)
        self.assertEqual(kernels.count(((0, 4), (1, 3), (0, 5))), 40)
        self.assertEqual(kernels.count((4, 2, 5)), 40)
        policy = ex.MDRangePolicy([0, 1], [4, 3], [2, 2])
        self.assertEqual((policy.begin, policy.end, policy.tile), ([0, 1], [4, 3], [2, 2]))

    def test_wrong_mdranges(self):
        for wrong in (4, (1, 2, 3), ((0, 4),), ((0, 4), (0, 3, 1)), "ab", ex.RangePolicy(0, 3),
                      ex.MDRangePolicy([0, 0, 0], [1, 1, 1]), ((0, 1), (0, "1"))):
            self.assertIn("policy", message_of(self, TypeError, self.filled, wrong))
        message_of(self, ValueError, ex.MDRangePolicy, [0, 0], [1, 1, 1])
        message_of(self, ValueError, ex.MDRangePolicy, [0], [1])
        message_of(self, ValueError, ex.MDRangePolicy, [0] * 7, [1] * 7)
        message_of(self, TypeError, ex.MDRangePolicy, 0, 1)

    def test_teams(self):
        x = np.zeros(4)
        for policy in (4, ex.TeamPolicy(4), ex.TeamPolicy(4, "AUTO"), ex.TeamPolicy(4, 1)):
            x[:] = 0
            kernels.rows(policy, x)
            self.assertEqual(x.tolist(), [4, 3, 2, 1])
            self.assertEqual(kernels.leagues(policy), 4)
        self.assertEqual(ex.TeamPolicy(4).team_size, "AUTO")
        text = message_of(self, RuntimeError, kernels.rows, ex.TeamPolicy(4, 8), x)
        self.assertIn("team size of 8", text)
        for wrong in ((1, 2), "4", ex.RangePolicy(0, 3)):
            message_of(self, TypeError, kernels.rows, wrong, x)
        message_of(self, ValueError, ex.TeamPolicy, 4, "auto?")
        message_of(self, ValueError, ex.TeamPolicy, 4, 0)

    def test_scratch_sizes(self):
        class PerThread:  # PyKokkos' class
            def __init__(self, team_member):
                self.team_member = team_member

        x = np.zeros(4)
        policy = ex.TeamPolicy(4)
        self.assertEqual(ex.PerTeam(800).value, 800)
        self.assertIs(policy.set_scratch_size(0, ex.PerTeam(800)), policy)
        self.assertIs(policy.set_scratch_size(1, ex.PerTeam(8), ex.PerThread(16)), policy)
        self.assertIs(policy.set_scratch_size(level=1, per_team_or_thread=PerThread(8)), policy)
        kernels.rows(policy, x)
        self.assertEqual(x.tolist(), [4, 3, 2, 1])
        text = message_of(self, ValueError, policy.set_scratch_size, 2, ex.PerTeam(8))
        self.assertIn("expected 0 or 1", text)
        self.assertIn("PerThread(bytes)", message_of(self, TypeError, policy.set_scratch_size, 0, 8))
        message_of(self, ValueError, policy.set_scratch_size, 0, ex.PerTeam(-8))
        message_of(self, TypeError, ex.PerTeam, "8")
        policy.set_scratch_size(0, ex.PerTeam(2**62))
        message_of(self, RuntimeError, kernels.rows, policy, x)

    def test_objects_like_policies(self):
        class Likeness:
            def __init__(self, **attributes):
                self.__dict__.update(attributes)

        self.assertEqual(self.scaled(Likeness(begin=1, end=3)), [1, 2])
        self.assertEqual(kernels.count(Likeness(begin=[0, 0, 0], end=[1, 2, 3])), 6)
        self.assertEqual(kernels.leagues(Likeness(league_size=5)), 5)
        message_of(self, TypeError, kernels.count, Likeness(begin=[0, 0], end=[1, 2]))
        message_of(self, TypeError, self.scaled, Likeness(begin=1))


class Arrays(unittest.TestCase):
    def refused(self, x, *words):
        text = message_of(self, TypeError, kernels.scale, 1, x, 2.0)
        self.assertIn("scale() argument 'x'", text)
        for word in words:
            self.assertIn(word, text)

    def test_refused(self):
        good = np.zeros(4)
        self.refused([1.0, 2.0], "expected a float64 array of rank 1", "got list")
        self.refused(3.0, "got float")
        self.refused(None, "got NoneType")
        self.refused("text", "got str")
        self.refused(good.astype(np.float32), "float64", "got a float32 array of rank 1")
        self.refused(good.astype(np.int64), "got a int64 array")
        self.refused(good.astype(complex), "got a complex128 array")
        self.refused(good.astype(bool), "got a bool array")
        self.refused(good.reshape(2, 2), "rank 1", "got a float64 array of rank 2")
        self.refused(np.float64(1.0), "rank 0")
        self.refused(good.astype(">f8"), "byte-swapped")
        self.refused(good[::2], "not C-contiguous")
        self.refused(good[::-1], "not C-contiguous")
        self.refused(np.zeros(33, np.uint8)[1:].view(np.float64), "not aligned")
        good.flags.writeable = False
        self.refused(good, "writable", "read-only")
        self.refused(b"12345678", "uint8")
        self.refused(np.array(["a", "b"]), "got an array of format")
        self.refused(np.array([None, 1], dtype=object), "got an array of format")
        self.refused(np.zeros(2, dtype=[("a", "f8")]))
        self.refused(np.zeros(2, "datetime64[s]"))
        self.refused(np.zeros(2, np.float16), "got an array of format")

    def test_layouts(self):
        shape = (4, 3)
        c = np.zeros(shape, np.int32)
        f = np.zeros(shape, np.int32, order="F")
        policy = ((0, 4), (0, 3))
        text = message_of(self, TypeError, kernels.fill, policy, f, f, c)
        self.assertIn("'right': expected a writable C-contiguous int32 array of rank 2", text)
        text = message_of(self, TypeError, kernels.fill, policy, c, c, c)
        self.assertIn("'left': expected a writable Fortran-contiguous int32 array", text)
        self.assertIn("not Fortran-contiguous", text)
        for any_layout in (c, f, np.zeros((8, 8), np.int32)[1::2, 2:5],
                           np.zeros(shape, np.int32)[::-1, ::-1]):
            kernels.fill(policy, c, f, any_layout)
            self.assertEqual(any_layout.tolist(), [[10 * i + j for j in range(3)]
                                                   for i in range(4)])
        records = np.zeros((4, 3), dtype=[("a", "i4"), ("b", "i1")])["a"]
        text = message_of(self, TypeError, kernels.fill, policy, c, f, records)
        self.assertIn("whole elements", text)

    def test_dimensions_of_one_and_none(self):
        x = np.zeros((1, 5))[:, 2]  # a stride that means nothing
        kernels.scale(1, x, 2.0)
        one = np.zeros((7, 5), np.int32)[2:3, 1:2]
        kernels.fill((1, 1), one, one, one)
        empty = np.zeros(0)
        kernels.scale(0, empty, 2.0)
        self.assertEqual(kernels.dot(0, empty, empty), 0.0)
        for shape in ((0, 3), (3, 0), (0, 0)):
            none = np.zeros(shape, np.int32)
            kernels.fill(shape, none, none, none)

    def test_other_buffers(self):
        a = array.array("d", [1.0, 2.0, 3.0])
        kernels.scale(3, a, 2.0)
        self.assertEqual(a.tolist(), [2, 4, 6])
        m = memoryview(a)[1:]
        kernels.scale(2, m, 2.0)
        self.assertEqual(a.tolist(), [2, 8, 12])
        b = memoryview(bytearray(b"\x03\x01\xff")).cast("b")
        self.assertEqual(kernels.ends(3, b), (-1, 3))
        message_of(self, TypeError, kernels.ends, 3, bytearray(b"abc"))  # unsigned bytes

    def test_no_copy_and_held(self):
        a = array.array("d", [1.0, 2.0])
        kernels.scale(2, a, 2.0)
        a.append(3.0)  # a buffer that is still held would forbid it
        with self.assertRaises(TypeError):
            kernels.scale(2, a, "wrong")
        a.append(4.0)

    def test_numpy_types(self):
        names = {"float64": np.float64, "float32": np.float32, "int32": np.int32}
        scale = ex.sub.a.scale
        for dtype in names.values():
            x = np.arange(4).astype(dtype)
            scale(4, x, 2)
            self.assertEqual(x.tolist(), [0, 2, 4, 6])
        x = np.arange(4).astype("<f8")
        scale(4, x, np.float64(0.5))
        self.assertEqual(x.tolist(), [0, 0.5, 1, 1.5])

    def test_overloads(self):
        text = message_of(self, TypeError, ex.sub.a.scale, 4, np.zeros(4, np.int16), 2)
        self.assertIn("x: int16 array of rank 1, k: int", text)
        for signature in ("x: View1D[double], k: double", "x: View1D[float], k: float",
                          "x: View1D[int32], k: int32"):
            self.assertIn(signature, text)
        message_of(self, TypeError, ex.sub.a.scale, 4, np.zeros(4, np.int32), 2.5)


class Scalars(unittest.TestCase):
    names = ["b", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f", "d", "cf", "cd"]

    def call(self, **changed):
        out = np.zeros(15)
        values = dict.fromkeys(self.names, 0)
        values["b"] = False
        values.update(changed)
        kernels.scalars(1, out, **values)
        return out.tolist()

    def one(self, name, value):
        return self.call(**{name: value})[self.names.index(name)]

    def test_values(self):
        self.assertEqual(self.one("b", True), 1)
        self.assertEqual(self.one("b", np.True_), 1)
        for name, low, high in (("i8", -2**7, 2**7 - 1), ("i16", -2**15, 2**15 - 1),
                                ("i32", -2**31, 2**31 - 1), ("i64", -2**63, 2**63 - 1),
                                ("u8", 0, 2**8 - 1), ("u16", 0, 2**16 - 1),
                                ("u32", 0, 2**32 - 1), ("u64", 0, 2**64 - 1)):
            for value in (low, high, 5):
                self.assertEqual(self.one(name, value), float(value))
            for value in (low - 1, high + 1, 2**100, -2**100):
                text = message_of(self, OverflowError, self.one, name, value)
                self.assertIn(f"scalars() argument '{name}'", text)
            self.assertEqual(self.one(name, np.int8(5)), 5)
            self.assertEqual(self.one(name, np.uint64(5)), 5)
            self.assertEqual(self.one(name, True), 1)
            for wrong in (1.0, "1", None, np.float32(1), 1j, np.zeros(2, int)):
                text = message_of(self, TypeError, self.one, name, wrong)
                self.assertIn(f"scalars() argument '{name}': expected an int", text)
        self.assertEqual(self.one("f", 0.5), 0.5)
        self.assertEqual(self.one("f", 0.1), float(np.float32(0.1)))
        self.assertEqual(self.one("f", float("inf")), float("inf"))
        message_of(self, OverflowError, self.one, "f", 1e300)
        for value in (3, np.float32(0.5), np.int16(3), np.array(2.5), True):
            self.assertEqual(self.one("d", value), float(value))
        message_of(self, OverflowError, self.one, "d", 10**400)
        for wrong in ("1", None, 1j, b"1", np.zeros(2)):
            text = message_of(self, TypeError, self.one, "d", wrong)
            self.assertIn("scalars() argument 'd': expected a float (float64)", text)
        self.assertEqual(self.call(cd=1 + 2j, cf=3 - 4j)[11:], [3, -4, 1, 2])
        self.assertEqual(self.call(cd=np.complex64(1j), cf=2)[11:], [2, 0, 0, 1])
        for wrong in ("1j", None, []):
            message_of(self, TypeError, self.one, "cd", wrong)
        for wrong in (1, 0, None, 1.0, "x"):
            text = message_of(self, TypeError, self.one, "b", wrong)
            self.assertIn("expected a bool", text)

    def test_errors_of_the_value_pass_through(self):
        class Broken:
            def __index__(self):
                raise RuntimeError("broken")

            def __float__(self):
                raise RuntimeError("broken")

        for name in ("i32", "d"):
            self.assertEqual(message_of(self, RuntimeError, self.one, name, Broken()), "broken")


class Reductions(unittest.TestCase):
    def test_results(self):
        x = np.array([4.0, -2.0, 8.0, -2.0])
        self.assertEqual(kernels.dot(4, x, x), 88.0)
        self.assertIs(type(kernels.dot(4, x, x)), float)
        self.assertEqual(kernels.largest(4, -abs(x) - 1, reducer="Max"), -3.0)
        self.assertEqual(kernels.phase(3), 3 + 3j)
        data = np.array([1, 2, 3], np.int64)
        self.assertEqual(kernels.prefix(3, data), 6)
        self.assertEqual(data.tolist(), [1, 3, 6])
        small = np.array([1, 0, 2], np.int8)
        self.assertIs(kernels.all(3, small, reducer="LAnd"), False)
        self.assertIs(kernels.all(1, small, reducer="LAnd"), True)
        self.assertEqual(kernels.leagues(3), 3)

    def test_places(self):
        x = np.array([4.0, -2.0, 8.0, -2.0])
        found = kernels.where(4, x, reducer="MinLoc")
        self.assertEqual((found.val, found.loc), (-2.0, 1))
        self.assertEqual(found, (-2.0, 1))
        span = kernels.span(4, x.astype(np.int8))
        self.assertEqual((span.min_val, span.max_val, span.min_loc, span.max_loc), (-2, 8, 1, 2))
        self.assertEqual(span, (-2, 1, 8, 2))  # PyKokkos' order
        self.assertEqual(kernels.ends(4, x.astype(np.int8), reducer="MinMax"), (-2, 8))

    def test_reducer_argument(self):
        class Max:
            pass

        x = np.array([4.0, 8.0])
        self.assertEqual(kernels.largest(2, x, reducer=Max), 8.0)
        self.assertEqual(kernels.dot(2, x, x, reducer=None), 80.0)
        text = message_of(self, TypeError, kernels.where, 2, x)
        self.assertIn("'reducer' (MinLoc or MaxLoc)", text)
        for wrong in ("max", "MinLoc", "BAnd", ""):
            text = message_of(self, ValueError, kernels.largest, 2, x, reducer=wrong)
            self.assertIn("largest() reducer: expected Sum, Prod", text)
        message_of(self, ValueError, kernels.where, 2, x, reducer="Sum")
        message_of(self, TypeError, kernels.largest, 2, x, reducer=3)

    def test_empty(self):
        self.assertEqual(kernels.dot(0, np.zeros(1), np.zeros(1)), 0.0)
        self.assertEqual(kernels.prefix(0, np.zeros(1, np.int64)), 0)
        self.assertEqual(kernels.count((0, 1, 1)), 0)
        self.assertEqual(kernels.leagues(0), 0)


class Classes(unittest.TestCase):
    def test_fields_and_methods(self):
        cells = np.ones(3)
        f = ex.Lattice(n=2, cells=cells)
        self.assertIs(f.cells, cells)
        self.assertEqual(f.n, 2)
        f.step(3, by=0.5)
        self.assertEqual(cells.tolist(), [2, 2, 2])
        self.assertEqual(f.energy(3), 6.0)
        f.n = 4
        f.cells = other = np.zeros(2)
        f.step(2, 1.0)
        self.assertEqual(other.tolist(), [4, 4])
        ex.Lattice.step(f, 2, 1.0)
        self.assertEqual(other.tolist(), [8, 8])
        step = f.step
        step(1, by=1.0)
        self.assertEqual(other.tolist(), [12, 8])
        self.assertEqual(ex.Lattice(1, cells).n, 1)
        self.assertEqual(ex.Lattice.__module__, "runtime_example")
        self.assertEqual(ex.Lattice.__name__, "Lattice")

    def test_errors(self):
        cells = np.ones(3)
        make = ex.Lattice
        cases = [
            ((), {}, "Lattice() missing 2 required positional arguments: 'n' and 'cells'"),
            ((1,), {}, "Lattice() missing 1 required positional argument: 'cells'"),
            ((1, cells, 3), {}, "Lattice() takes 2 positional arguments but 3 were given"),
            ((1, cells), {"n": 1}, "Lattice() got multiple values for argument 'n'"),
            ((1, cells), {"m": 1}, "Lattice() got an unexpected keyword argument 'm'"),
        ]
        for args, kwargs, expected in cases:
            self.assertEqual(message_of(self, TypeError, make, *args, **kwargs), expected)
        self.assertIn("Lattice() argument 'cells'",
                      message_of(self, TypeError, make, 1, np.ones(3, int)))
        f = make(1, cells)
        message_of(self, TypeError, setattr, f, "cells", [1.0])
        message_of(self, OverflowError, setattr, f, "n", 2**64)
        self.assertIs(f.cells, cells)
        with self.assertRaises(AttributeError):
            del f.n
        with self.assertRaises(AttributeError):
            f.unknown
        message_of(self, TypeError, make.step, 3)
        message_of(self, TypeError, make.step)
        message_of(self, TypeError, make.n.__get__, 3)
        message_of(self, TypeError, f.step, 1)
        bare = make.__new__(make)
        message_of(self, RuntimeError, bare.energy, 1)
        message_of(self, AttributeError, lambda: bare.n)
        repr(bare)
        other = ex2.Lattice(1, cells)
        message_of(self, TypeError, make.energy, other, 1)  # of another module

    def test_subclass(self):
        class Wide(ex.Lattice):
            def __init__(self, size):
                super().__init__(n=size, cells=np.ones(size))
                self.extra = "more"

            def twice(self):
                self.step(self.n, by=1.0)
                return self.energy(self.n) + self.energy(self.n)

        w = Wide(2)
        self.assertEqual(w.twice(), 12.0)
        self.assertEqual(w.extra, "more")

    def test_freed(self):
        f = ex.Lattice(2, np.ones(3))
        cells = weakref.ref(f.cells)
        f.step(1, 1.0)
        del f
        self.assertIsNone(cells())

        class Cyclic(ex.Lattice):
            pass

        f = Cyclic(2, np.ones(3))
        f.me = f
        cells = weakref.ref(f.cells)
        del f
        gc.collect()
        self.assertIsNone(cells())


class Process(unittest.TestCase):
    def test_no_leak(self):
        x = np.ones(4)
        f = ex.Lattice(2, x)
        wrong = np.ones(4, int)

        def everything():
            kernels.scale(4, x=x, k=1.0)
            kernels.dot((0, 4), x, x, reducer="Sum")
            kernels.where(4, x, reducer="MinLoc")
            kernels.scale(ex.RangePolicy(0, 4), x, 1.0)
            kernels.count(((0, 1), (0, 1), (0, 1)))
            f.step(4, by=0.0)
            f.n = 3
            f.cells = x
            for call in (lambda: kernels.scale(4, wrong, 1.0), lambda: kernels.scale(4, x, None),
                         lambda: kernels.scale(4, x), lambda: kernels.scale("4", x, 1.0),
                         lambda: f.step(4, by="x"), lambda: setattr(f, "cells", wrong),
                         lambda: ex.sub.a.scale(4, x, "2"), lambda: kernels.fill(4, x, x, x),
                         lambda: ex.Lattice(1, wrong)):
                try:
                    call()
                except TypeError:
                    pass

        for _ in range(50):
            everything()
        gc.collect()
        counted = [x, wrong, f, ex.Lattice, kernels.scale, ex.Lattice.step]
        before = [sys.getrefcount(o) for o in counted]
        tracemalloc.start()
        everything()
        gc.collect()
        start = tracemalloc.get_traced_memory()[0]
        for _ in range(2000):
            everything()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - start
        tracemalloc.stop()
        self.assertEqual([sys.getrefcount(o) for o in counted], before)
        self.assertLess(grown, 100000)

    def test_threads(self):
        wrong = []

        def work(seed):
            x = np.arange(1000.0) + seed
            expected = float(np.dot(x, x))
            for _ in range(200):
                if abs(kernels.dot(1000, x, x) - expected) > 1e-6 * expected:
                    wrong.append(seed)
                kernels.scale((0, 1000), x, 1.0)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_two_modules(self):
        x = np.ones(2)
        ex.kernels.scale(2, x, 2.0)
        ex2.kernels.scale(2, x, 2.0)
        self.assertEqual(x.tolist(), [4, 4])
        self.assertIsNot(ex.RangePolicy, ex2.RangePolicy)

    def run_python(self, code):
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                check=False)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "done\n", ""))

    def test_kernels_outlive_the_module(self):
        self.run_python(
            "import sys, gc, array, runtime_example as ex\n"
            "dot, L = ex.dot, ex.Lattice\n"
            "del ex, sys.modules['runtime_example']; gc.collect()\n"
            "a = array.array('d', [2.0])\n"
            "assert dot(1, a, a) == 4.0 and L(1, a).energy(1) == 2.0\n"
            "print('done')")

    def test_import_twice(self):
        self.run_python(
            "import sys, gc, array, runtime_example as one\n"
            "del sys.modules['runtime_example']\n"
            "import runtime_example as two\n"
            "a = array.array('d', [2.0])\n"
            "assert one is not two and one.dot(1, a, a) == two.dot(1, a, a)\n"
            "del one; gc.collect()\n"
            "assert two.Lattice(1, a).energy(1) == 2.0\n"
            "print('done')")

    def test_import_alone_starts_nothing(self):
        self.run_python("import runtime_example\nprint('done')")


if __name__ == "__main__":
    unittest.main()
