"""The same workunits as each contender has them: Python, Kokkos functor, pybind11 module, plain loop.

Workunit 0 is a triad: its constant (`body`) and type are what edits change. 1 and 2 call a helper.
All further ones are small loops with a branch, each with a number of its own.
"""


class State:
    """What can be edited. Equal states give equal texts."""

    def __init__(self):
        self.body = 0
        self.helper = 1
        self.type = "double"
        self.comment = 0
        self.spaces = 0
        self.other = 0


def name(k):
    return "triad" if k == 0 else "damp%d" % k if k in (1, 2) else "work%d" % k


def python(count, state):
    """kernels.py with `count` workunits."""
    real = "pk.double" if state.type == "double" else "pk.float32"
    parts = ["import pykokkos as pk\n\n\n"]
    if state.comment:
        parts.append("# comment %d\n" % state.comment)
    parts.append("@pk.function\ndef shift(x: pk.double) -> pk.double:\n    return x + %d.0\n" % state.helper)
    parts.append("\n\n@pk.workunit\ndef triad(i: int, a: pk.View1D[{0}], b: pk.View1D[{0}], c: pk.View1D[{0}],"
                 " s: {0}):\n    a[i] = b[i] + s * c[i] +{2} {1}.0\n".format(real, state.body, " " * state.spaces))
    for k in range(1, count):
        if k in (1, 2):
            body = "    v[i] = shift(v[i]) * k + %d\n" % k
        else:
            body = ("    for j in range(8):\n        if v[i] > j:\n            v[i] = v[i] * k + %d\n" % k)
        parts.append("\n\n@pk.workunit\ndef %s(i: int, v: pk.View1D[pk.double], k: pk.double):\n%s"
                     % (name(k), body))
    parts.append("\n\ndef host():\n    return %d\n" % state.other)
    return "".join(parts)


HELPER = '''#ifndef SHIFT_HPP
#define SHIFT_HPP
inline double shift(double x)
{
    return x + %d.0;
}
#endif
'''


def helper(state):
    return HELPER % state.helper


def _statement(k, state, index):
    """The body in C++; index: how a view is indexed, "%s(i)" or "%s[i]"."""
    a, b, c, v = (index % x for x in "abcv")
    if k == 0:
        return "%s = %s + s * %s + %s(%d.0);" % (a, b, c, state.type, state.body)
    if k in (1, 2):
        return "%s = shift(%s) * k + %d;" % (v, v, k)
    return "for (long j = 0; j < 8; ++j) { if (%s > j) { %s = %s * k + %d; } }" % (v, v, v, k)


def _parameters(k, state):
    """[(type of the view's element or None for a scalar, type, name)]"""
    if k == 0:
        return [(state.type, x) for x in "abc"], (state.type, "s")
    return [("double", "v")], ("double", "k")


def _comment(k, state):
    return "// comment %d\n" % state.comment if k == 0 and state.comment else ""


def functor(k, state):
    """One workunit as people write it with Kokkos, a file of its own."""
    views, (scalar, value) = _parameters(k, state)
    fields = "".join("    Kokkos::View<%s *, Kokkos::HostSpace> %s;\n" % view for view in views)
    parameters = ", ".join("const Kokkos::View<%s *, Kokkos::HostSpace> &%s" % view for view in views)
    names = ", ".join(view[1] for view in views)
    include = '#include "shift.hpp"\n' if k in (1, 2) else ""
    return '''%s#include <Kokkos_Core.hpp>
%s
struct %s {
%s    %s %s;

    KOKKOS_FUNCTION void operator()(const long i) const
    {
        %s
    }
};

void run_%s(const long n, %s, const %s %s)
{
    Kokkos::parallel_for("%s", Kokkos::RangePolicy<>(0, n), %s{%s, %s});
}
''' % (_comment(k, state), include, name(k), fields, scalar, value, _statement(k, state, "%s(i)"),
       name(k), parameters, scalar, value, name(k), name(k), names, value)


def loop(k, state):
    """One workunit as a plain loop: the floor."""
    views, (scalar, value) = _parameters(k, state)
    parameters = ", ".join("%s *%s" % view for view in views)
    include = '#include "shift.hpp"\n\n' if k in (1, 2) else ""
    return '''%s%sextern "C" void %s(%s, %s %s, long begin, long end)
{
    for (long i = begin; i < end; ++i) {
        %s
    }
}
''' % (_comment(k, state), include, name(k), parameters, scalar, value, _statement(k, state, "%s[i]"))


# A stand-in for what PyKokkos generates for a workunit: a functor template with a tag, a function that
# makes the views, runs the kernel and copies back, and one that takes keyword arguments, in a module of
# its own. Arrays come by the buffer protocol, where PyKokkos has the classes of kokkos-python, so that
# it can be run without those.
PYBIND_FUNCTOR = '''#ifndef FUNCTOR_HPP
#define FUNCTOR_HPP
%s
template <class ExecSpace> struct functor_%s {
    struct tag {};
%s    %s %s;

    KOKKOS_FUNCTION double shift(double x) const
    {
        return x + %d.0;
    }
    KOKKOS_FUNCTION void operator()(const tag &, int32_t i) const
    {
        %s
    }
};
#endif
'''
PYBIND_MODULE = '''#include <pybind11/pybind11.h>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <Kokkos_Sort.hpp>
#include <fstream>
#include <iostream>
#include <cmath>
#include "functor.hpp"

using space = Kokkos::DefaultHostExecutionSpace;
template <class T> using array = Kokkos::View<T *, typename space::array_layout, Kokkos::HostSpace>;

template <class T> static array<T> to_view(const pybind11::handle &object)
{
    const auto info = pybind11::reinterpret_borrow<pybind11::buffer>(object).request(true);
    return array<T>(static_cast<T *>(info.ptr), static_cast<size_t>(info.size));
}

static void run(%s, %s %s, space instance, const std::string &label, int begin, int end)
{
%s    functor_%s<space> made{%s, %s};
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<space, typename functor_%s<space>::tag>(instance, begin, end), made);
%s}

static void wrapper(pybind11::kwargs kwargs)
{
    run(%s, kwargs["%s"].cast<%s>(), space(), kwargs["label"].cast<std::string>(),
        kwargs["begin"].cast<int>(), kwargs["end"].cast<int>());
}

PYBIND11_MODULE(%s, module)
{
    if (!Kokkos::is_initialized()) {
        Kokkos::initialize();
        pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function([] { Kokkos::finalize(); }));
    }
    module.def("wrapper_%s", &wrapper);
}
'''


def pybind(k, state):
    """(functor.hpp, bindings.cpp) of one workunit; its module is named after it."""
    views, (scalar, value) = _parameters(k, state)
    fields = "".join("    Kokkos::View<%s *, typename ExecSpace::array_layout, typename ExecSpace::memory_space> %s;\n"
                     % view for view in views)
    functor_text = PYBIND_FUNCTOR % (_comment(k, state), name(k), fields, scalar, value, state.helper,
                                     _statement(k, state, "%s(i)"))
    mirrors = "".join("    auto d_{0} = Kokkos::create_mirror_view_and_copy(instance, {0});\n".format(view[1])
                      for view in views)
    back = "".join("    Kokkos::deep_copy({0}, d_{0});\n".format(view[1]) for view in views)
    module = PYBIND_MODULE % (
        ", ".join("array<%s> %s" % view for view in views), scalar, value, mirrors, name(k),
        ", ".join("d_" + view[1] for view in views), value, name(k), back,
        ", ".join('to_view<%s>(kwargs["%s"])' % view for view in views), value, scalar, name(k), name(k))
    return functor_text, module
