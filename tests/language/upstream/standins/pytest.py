"""As much of pytest as PyKokkos' tests use, for machines without it."""
import contextlib
import re


class Param:
    def __init__(self, *values, marks=(), id=None):
        self.values = values
        self.marks = list(marks) if isinstance(marks, (list, tuple)) else [marks]


def param(*values, marks=(), id=None):
    return Param(*values, marks=marks, id=id)


class Mark:
    """A decorator that remembers itself on the test."""

    def __init__(self, kind, args=(), keywords=None):
        self.kind, self.args, self.keywords = kind, args, keywords or {}

    def __call__(self, *args, **keywords):
        if len(args) == 1 and callable(args[0]) and not keywords:
            test = args[0]
            test.pytest_marks = getattr(test, "pytest_marks", []) + [self]
            return test
        return Mark(self.kind, args, keywords)


class _Marks:
    def __getattr__(self, kind):
        return Mark(kind)


mark = _Marks()


class Raised:
    """What raises() gives; `value` is the exception once it is there."""
    value = None


@contextlib.contextmanager
def raises(expected, match=None):
    raised = Raised()
    try:
        yield raised
    except expected as e:
        assert match is None or re.search(match, str(e)), str(e)
        raised.value = e
        return
    raise AssertionError("%s was not raised" % getattr(expected, "__name__", expected))
