#!/usr/bin/env python3
"""The driver of PyKokkos' tests on itself: what passes, fails, is skipped and expected to fail."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[0:1] = [HERE, os.path.join(HERE, "standins")]

import pytest  # noqa: E402
import run_file  # noqa: E402

TESTS = '''
import unittest
import pytest


class TestCase(unittest.TestCase):
    def setUp(self):
        self.n = 2

    def test_right(self):
        self.assertEqual(self.n, 2)

    def test_wrong(self):
        self.assertEqual(self.n, 3)

    @unittest.skipIf(True, "not here")
    def test_skipped(self):
        self.fail()


@pytest.mark.parametrize("a, b", [(1, 1), pytest.param(1, 2, marks=pytest.mark.xfail(reason="known"))])
@pytest.mark.parametrize("c", [1, 2])
def test_both(a, b, c):
    assert a == b and c < 2


def test_raises():
    with pytest.raises(ValueError, match="wrong") as info:
        raise ValueError("something wrong")
    assert info.value.args == ("something wrong",)


def test_does_not_raise():
    with pytest.raises(ValueError):
        pass


@pytest.mark.skipif(True, reason="not now")
def test_not_now():
    assert False
'''
WANTED = {
    "TestCase.test_right": "passed", "TestCase.test_wrong": "failed", "TestCase.test_skipped": "skipped",
    "test_both[0]": "passed", "test_both[1]": "xfailed", "test_both[2]": "failed",
    "test_both[3]": "xfailed", "test_raises": "passed", "test_does_not_raise": "failed",
    "test_not_now": "skipped",
}


def main():
    assert pytest.__file__.startswith(HERE)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_of_driver.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(TESTS)
        module = run_file.load("test_of_driver", path)
        got = {name: run_file.run_case(call, marks)[0] for name, call, marks in run_file.tests_of(module)}
    wrong = {n: (got.get(n), want) for n, want in WANTED.items() if got.get(n) != want}
    wrong.update({n: (o, None) for n, o in got.items() if n not in WANTED})
    for name, (outcome, want) in wrong.items():
        print("%s: %s, not %s" % (name, outcome, want))
    return 1 if wrong else 0


sys.exit(main())
