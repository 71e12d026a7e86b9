"""The generated Python module: what its table says of each workunit, against NumPy."""
import inspect
import unittest

import numpy as np

import api_example as api

k = api.kernels


class Api(unittest.TestCase):
    def test_for(self):
        x = np.arange(5.0)
        k.scale(5, x=x, k=2.0)
        self.assertEqual(x.tolist(), [0, 2, 4, 6, 8])
        f = np.ones(3, np.float32)
        api.other.scale(3, f, k=0.5)
        self.assertEqual(f.tolist(), [0.5] * 3)
        z = np.array([1 + 2j, 3.0])
        k.turn(2, z, by=1j)
        self.assertEqual(z.tolist(), [-2 + 1j, 3j])
        k.größe(2, x, länge=7.0)
        self.assertEqual(x[:3].tolist(), [7, 7, 4])

    def test_reduce(self):
        x = np.array([4.0, -2.0, 8.0, -2.0])
        self.assertEqual(k.dot(4, x, x), 88.0)
        self.assertEqual(k.largest(3, np.array([-7, -3, -5], np.int32), reducer="Max"), -3)
        self.assertEqual(k.where(4, x, reducer="MinLoc"), (-2.0, 1))
        self.assertEqual(k.ends(4, x), (-2.0, 8.0))
        self.assertEqual(k.span(3, np.array([5, -9, 7], np.int8)), (-9, 1, 7, 2))
        self.assertEqual(k.names(2, 1, args=10, Reducer=100, new=1000), 2222)

    def test_random(self):
        x, n = np.zeros((2, 5)), np.zeros((2, 5), np.int32)
        pool = api.Random_XorShift64_Pool(12345)
        self.assertEqual((pool.format, pool.ndim), ("Q", 1))
        states = pool.tolist()
        k.noise(5, pool, x[0], n[0])
        k.noise(5, pool=pool, x=x[1], k=n[1])
        self.assertNotEqual(pool.tolist(), states)
        self.assertTrue((np.abs(x) < 1).all() and len(np.unique(x)) == 10)
        self.assertTrue((0 <= n).all() and (n < 100).all())
        again = np.array(states, np.uint64)
        y, m = np.zeros(10), np.zeros(10, np.int32)
        k.noise(10, again, y, m)
        if len(states) == 1:  # one thread: the same numbers in the same order
            self.assertEqual(y.tolist(), x.reshape(-1).tolist())
        class Pool:  # as PyKokkos has it: each call begins at its seed
            seed, num_states = 12345, len(states)

        k.noise(10, Pool(), y, m)
        fresh = np.zeros((2, 10))
        for row in fresh:
            k.noise(10, Pool(), row, m)
        if len(states) == 1:
            self.assertEqual(fresh[0].tolist(), y.tolist())
            self.assertEqual(fresh[1].tolist(), y.tolist())
        self.assertEqual(api.Random_XorShift64_Pool(7, num_states=3).shape, (3,))
        self.assertEqual(api.Random_XorShift64_Pool(0).tolist(),
                         api.Random_XorShift64_Pool(1318319).tolist())
        with self.assertRaises(ValueError):
            api.Random_XorShift64_Pool(7, -1)
        with self.assertRaises(TypeError):
            k.noise(5, 12345, x[0], n[0])

    def test_scan(self):
        x = np.full(4, 2)
        self.assertEqual(k.prefix(4, x), 8)
        self.assertEqual(x.tolist(), [2, 4, 6, 8])

    def test_mdrange(self):
        expected = [[10 * i + j for j in range(3)] for i in range(4)]
        right = np.zeros((4, 3), np.int32)
        left = np.zeros((4, 3), np.int32, order="F")
        k.fill(((0, 4), (0, 3)), x=right)
        k.fill_left((4, 3), x=left)
        self.assertEqual(right.tolist(), expected)
        self.assertEqual(left.tolist(), expected)
        self.assertEqual(k.total(api.MDRangePolicy([1, 0], [2, 3]), right), 33)
        with self.assertRaises(TypeError):
            k.fill_left((4, 3), x=right)

    def test_overloads(self):
        for dtype in (np.float64, np.float32):
            x, y = np.full(2, 2, dtype), np.ones(2, dtype)
            k.axpy(2, x, y, 3.0)
            self.assertEqual(y.tolist(), [7, 7])
        with self.assertRaises(TypeError):
            k.axpy(2, np.ones(2), np.ones(2, np.float32), 3.0)

    def test_lists(self):
        self.assertEqual(k.weigh.__doc__,
                         "weigh(i: int, x: View1D[double], c: List[double], m: List[List[int64]])")
        x = np.zeros(2)
        k.weigh(2, x, [1.5, 2], ((0, 10), [0, True]))
        self.assertEqual(x.tolist(), [15, 2])
        ones = np.ones(2)
        ones.flags.writeable = False
        k.weigh(2, x, ones, np.array([[1, 2], [3, 4]]))
        self.assertEqual(x.tolist(), [2, 4])
        k.weigh(0, x, [], [])
        k.weigh(0, x, (), [[], []])
        for c, m in (([1.0, "2"], [[1, 2], [3, 4]]), ([[1.0]], [[1, 2]]), ([1.0, 2.0], [1, 2]),
                     ([1.0, 2.0], [[1, 2], [3]]), ([1.0, 2.0], [[1, 2], [3, 4.5]]),
                     ([1.0, 2.0], [[[1, 2], [3, 4]]]), (None, [[1]]), ({1.0}, [[1]])):
            with self.assertRaises(TypeError) as caught:
                k.weigh(1, x, c, m)
            self.assertIn("weigh() argument '", str(caught.exception))
        with self.assertRaises(OverflowError):
            k.weigh(1, x, [1.0], [[1, 2**64]])
        with self.assertRaises(TypeError):
            k.weigh(2, [1.0, 2.0], [1.0, 2.0], [[1, 2], [3, 4]])  # written to: no list

    def test_class(self):
        cells = np.zeros(3)
        lattice = k.Lattice(n=2, cells=cells)
        lattice.step(3, by=0.5)
        self.assertEqual(lattice.energy(3, 2.0), 6.0)
        self.assertIs(k.Lattice, api.Lattice)

    def test_signatures(self):
        self.assertEqual(k.scale.__doc__, "scale(i: int, x: View1D[double], k: double)")
        self.assertEqual(str(inspect.signature(k.scale)), "(policy, x, k)")
        self.assertEqual(repr(k.Lattice.step), "<workunit kernels::Lattice.step>")


if __name__ == "__main__":
    unittest.main()
