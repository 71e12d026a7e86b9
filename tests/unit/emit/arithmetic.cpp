// Reads cases from standard input, one a line: a function, its arguments and the result that
// CPython gave, all as 64-bit words in hexadecimal. Prints the cases where the headers differ.
#include <pykokkos_cache/complex.hpp>
#include <pykokkos_cache/complex_math.hpp>
#include <pykokkos_cache/convert.hpp>
#include <pykokkos_cache/exact.hpp>
#include <pykokkos_cache/float.hpp>
#include <pykokkos_cache/int.hpp>
#include <pykokkos_cache/int128.hpp>
#include <pykokkos_cache/print.hpp>
#include <pykokkos_cache/round.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace
{

using words = std::vector<std::uint64_t>;

double as_double(std::uint64_t w)
{
    double x;
    std::memcpy(&x, &w, sizeof x);
    return x;
}

float as_float(std::uint64_t w)
{
    return static_cast<float>(as_double(w));
}

std::uint64_t bits(double x)
{
    std::uint64_t w;
    std::memcpy(&w, &x, sizeof w);
    return x != x ? 0x7ff8000000000000u : w;
}

std::int64_t i64(std::uint64_t w)
{
    return static_cast<std::int64_t>(w);
}

std::uint64_t u64(std::int64_t i)
{
    return static_cast<std::uint64_t>(i);
}

pkc::int128 wide(const words &w, std::size_t at)
{
    return pkc::make_int128(i64(w[at]), w[at + 1]);
}

words wide_words(pkc::int128 x)
{
    return {static_cast<std::uint64_t>(static_cast<pkc::uint128>(x) >> 64),
            static_cast<std::uint64_t>(x)};
}

// The six comparisons, a bit each.
std::uint64_t relations(int c)
{
    return static_cast<std::uint64_t>((c < 0) | (c <= 0) << 1 | (c == 0) << 2 | (c != 0) << 3 |
                                      (pkc::above(c) > 0) << 4 | (pkc::above(c) >= 0) << 5);
}

words complex_words(pkc::complex<double> z)
{
    return {bits(z.re), bits(z.im)};
}

pkc::complex<double> complex_at(const words &w, std::size_t at)
{
    return {as_double(w[at]), as_double(w[at + 1])};
}

using function = words (*)(const words &);

#define COMPLEX_FUNCTION(name)                                                               \
    {                                                                                        \
        "c" #name, [](const words &w) { return complex_words(pkc::name(complex_at(w, 0))); } \
    }

const std::map<std::string, function> functions = {
    COMPLEX_FUNCTION(acos),
    COMPLEX_FUNCTION(acosh),
    COMPLEX_FUNCTION(asin),
    COMPLEX_FUNCTION(asinh),
    COMPLEX_FUNCTION(atan),
    COMPLEX_FUNCTION(atanh),
    COMPLEX_FUNCTION(cos),
    COMPLEX_FUNCTION(cosh),
    COMPLEX_FUNCTION(exp),
    COMPLEX_FUNCTION(log),
    COMPLEX_FUNCTION(log10),
    COMPLEX_FUNCTION(sin),
    COMPLEX_FUNCTION(sinh),
    COMPLEX_FUNCTION(sqrt),
    COMPLEX_FUNCTION(tan),
    COMPLEX_FUNCTION(tanh),
    {"add", [](const words &w) -> words { return {u64(pkc::add(i64(w[0]), i64(w[1])))}; }},
    {"sub", [](const words &w) -> words { return {u64(pkc::sub(i64(w[0]), i64(w[1])))}; }},
    {"mul", [](const words &w) -> words { return {u64(pkc::mul(i64(w[0]), i64(w[1])))}; }},
    {"neg", [](const words &w) -> words { return {u64(pkc::neg(i64(w[0])))}; }},
    {"abs", [](const words &w) -> words { return {u64(pkc::abs(i64(w[0])))}; }},
    {"shl", [](const words &w) -> words { return {u64(pkc::shl(i64(w[0]), i64(w[1])))}; }},
    {"shr", [](const words &w) -> words { return {u64(pkc::shr(i64(w[0]), i64(w[1])))}; }},
    {"floordiv",
     [](const words &w) -> words { return {u64(pkc::floordiv(i64(w[0]), i64(w[1])))}; }},
    {"mod", [](const words &w) -> words { return {u64(pkc::mod(i64(w[0]), i64(w[1])))}; }},
    {"floordiv_by_7", [](const words &w) -> words { return {u64(pkc::floordiv(i64(w[0]), 7))}; }},
    {"mod_by_minus_10", [](const words &w) -> words { return {u64(pkc::mod(i64(w[0]), -10))}; }},
    {"floordiv32",
     [](const words &w) -> words {
         return {
             u64(pkc::floordiv32(static_cast<pkc::int32>(w[0]), static_cast<pkc::int32>(w[1])))};
     }},
    {"mod32",
     [](const words &w) -> words {
         return {u64(pkc::mod32(static_cast<pkc::int32>(w[0]), static_cast<pkc::int32>(w[1])))};
     }},
    {"ufloordiv", [](const words &w) -> words { return {pkc::ufloordiv(w[0], w[1])}; }},
    {"umod", [](const words &w) -> words { return {pkc::umod(w[0], w[1])}; }},
    {"pow", [](const words &w) -> words { return {u64(pkc::pow(i64(w[0]), i64(w[1])))}; }},
    {"range_count",
     [](const words &w) -> words { return {pkc::range_count(i64(w[0]), i64(w[1]), i64(w[2]))}; }},
    {"truediv", [](const words &w) -> words { return {bits(pkc::truediv(i64(w[0]), i64(w[1])))}; }},
    {"utruediv", [](const words &w) -> words { return {bits(pkc::utruediv(w[0], w[1]))}; }},
    {"truediv128",
     [](const words &w) -> words { return {bits(pkc::truediv128(wide(w, 0), wide(w, 2)))}; }},
    {"pow_double",
     [](const words &w) -> words { return {bits(pkc::pow_double(i64(w[0]), i64(w[1])))}; }},
    {"compare",
     [](const words &w) -> words { return {relations(pkc::compare(i64(w[0]), as_double(w[1])))}; }},
    {"ucompare",
     [](const words &w) -> words { return {relations(pkc::ucompare(w[0], as_double(w[1])))}; }},
    {"compare128",
     [](const words &w) -> words {
         return {relations(pkc::compare128(wide(w, 0), as_double(w[2])))};
     }},
    {"floordiv128",
     [](const words &w) -> words { return wide_words(pkc::floordiv128(wide(w, 0), wide(w, 2))); }},
    {"mod128",
     [](const words &w) -> words { return wide_words(pkc::mod128(wide(w, 0), wide(w, 2))); }},
    {"mul128",
     [](const words &w) -> words { return wide_words(pkc::mul128(wide(w, 0), wide(w, 2))); }},
    {"sub128",
     [](const words &w) -> words { return wide_words(pkc::sub128(wide(w, 0), wide(w, 2))); }},
    {"shr128",
     [](const words &w) -> words { return wide_words(pkc::shr128(wide(w, 0), wide(w, 2))); }},
    {"pow128",
     [](const words &w) -> words { return wide_words(pkc::pow128(wide(w, 0), wide(w, 2))); }},
    {"to_int64", [](const words &w) -> words { return {u64(pkc::to_int64(as_double(w[0])))}; }},
    {"to_int64_float",
     [](const words &w) -> words { return {u64(pkc::to_int64(as_float(w[0])))}; }},
    {"to_int32", [](const words &w) -> words { return {u64(pkc::to_int32(as_double(w[0])))}; }},
    {"to_int32_float",
     [](const words &w) -> words { return {u64(pkc::to_int32(as_float(w[0])))}; }},
    {"to_uint64", [](const words &w) -> words { return {pkc::to_uint64(as_double(w[0]))}; }},
    {"float_mod",
     [](const words &w) -> words {
         return {bits(pkc::float_mod(as_double(w[0]), as_double(w[1])))};
     }},
    {"float_floordiv",
     [](const words &w) -> words {
         return {bits(pkc::float_floordiv(as_double(w[0]), as_double(w[1])))};
     }},
    {"float32_mod",
     [](const words &w) -> words {
         return {bits(static_cast<double>(pkc::float_mod(as_float(w[0]), as_float(w[1]))))};
     }},
    {"round_digits",
     [](const words &w) -> words { return {bits(pkc::round_digits(as_double(w[0]), i64(w[1])))}; }},
    {"complex_mul",
     [](const words &w) -> words { return complex_words(complex_at(w, 0) * complex_at(w, 2)); }},
    {"complex_div",
     [](const words &w) -> words { return complex_words(complex_at(w, 0) / complex_at(w, 2)); }},
    {"complex_pow",
     [](const words &w) -> words {
         return complex_words(pow(complex_at(w, 0), complex_at(w, 2)));
     }},
};

// "repr" has text as its result.
bool repr_agrees(std::uint64_t word, const char *expected)
{
    return std::strcmp(pkc::repr(as_double(word)).text, expected) == 0;
}

} // namespace

int main()
{
    char line[1024];
    int wrong = 0;
    int cases = 0;
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        ++cases;
        const std::string text(line);
        const char *rest = std::strtok(line, " \n");
        const std::string name(rest);
        words w;
        bool ok = false;
        if (name == "repr") {
            const std::uint64_t word = std::strtoull(std::strtok(nullptr, " \n"), nullptr, 16);
            ok = repr_agrees(word, std::strtok(nullptr, " \n"));
        } else {
            std::size_t arguments = std::strtoull(std::strtok(nullptr, " \n"), nullptr, 10);
            while ((rest = std::strtok(nullptr, " \n")) != nullptr) {
                w.push_back(std::strtoull(rest, nullptr, 16));
            }
            const words expected(w.begin() + static_cast<std::ptrdiff_t>(arguments), w.end());
            ok = functions.count(name) == 1 && functions.at(name)(w) == expected;
        }
        if (!ok && ++wrong <= 20) {
            std::printf("differs: %s", text.c_str());
        }
    }
    std::printf("%d cases, %d differ\n", cases, wrong);
    return wrong == 0 && cases > 0 ? 0 : 1;
}
