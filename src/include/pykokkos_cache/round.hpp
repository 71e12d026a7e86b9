// round(x, digits) as CPython has it: the double nearest to the exact value of x rounded to that
// many decimal digits, ties to even.
#ifndef PYKOKKOS_CACHE_ROUND_HPP
#define PYKOKKOS_CACHE_ROUND_HPP

#include <pykokkos_cache/base.hpp>

extern "C" int snprintf(char *, __SIZE_TYPE__, const char *, ...) noexcept;
extern "C" double strtod(const char *, char **) noexcept;

namespace pkc
{

// To a multiple of 10^places, places > 0, through the exact decimal digits.
PKC_COLD double round_tens(double x, int places)
{
    char text[340]; // the longest double has 309 digits before its point
    const double whole = __builtin_trunc(x);
    const int length = snprintf(text + 1, sizeof text - 10, "%.0f", __builtin_fabs(whole));
    char *const digits = text + 1;
    if (places > length) {
        return __builtin_copysign(0.0, x);
    }
    const int keep = length - places;
    // Half, above, below: the first dropped digit, all others, and the fraction.
    bool rest = whole != x;
    for (int k = keep + 1; k < length; ++k) {
        rest = rest || digits[k] != '0';
    }
    const char next = digits[keep];
    const bool odd = keep > 0 && (digits[keep - 1] & 1) != 0;
    const bool up = next > '5' || (next == '5' && (rest || odd));
    for (int k = keep; k < length; ++k) {
        digits[k] = '0';
    }
    digits[length] = '\0';
    text[0] = '0';
    for (int k = keep - 1; up && k >= -1; --k) {
        if (digits[k] != '9') {
            ++digits[k];
            break;
        }
        digits[k] = '0';
    }
    return __builtin_copysign(strtod(text, nullptr), x);
}

PKC_COLD double round_text(double x, int digits)
{
    char text[700]; // 309 digits, a point of any locale, 323 digits
    snprintf(text, sizeof text, "%.*f", digits, x);
    return strtod(text, nullptr);
}

inline double round_digits(double x, int64 digits)
{
    if (x - x != 0 || digits > 323) {
        return x; // inf and nan too
    }
    if (digits < -308) {
        return __builtin_copysign(0.0, x);
    }
    if (digits < 0) {
        return round_tens(x, static_cast<int>(-digits));
    }
    double power = 1.0;
    for (int64 k = 0; k < digits && k < 23; ++k) {
        power *= 10.0; // exact up to 10^22
    }
    const double scaled = x * power;
    if (digits > 22 || !(__builtin_fabs(scaled) < 2251799813685248.0)) {
        return round_text(x, static_cast<int>(digits));
    }
    // scaled + error is x * power exactly (Dekker's product): whether it is a tie is known for
    // sure.
    const double split_x = x * 134217729.0;
    const double high_x = split_x - (split_x - x);
    const double low_x = x - high_x;
    const double split_p = power * 134217729.0;
    const double high_p = split_p - (split_p - power);
    const double low_p = power - high_p;
    const double error =
        ((high_x * high_p - scaled) + high_x * low_p + low_x * high_p) + low_x * low_p;
    double whole = __builtin_rint(scaled);
    const double part = scaled - whole;
    if (part == 0.5 && error > 0) {
        whole += 1;
    } else if (part == -0.5 && error < 0) {
        whole -= 1;
    }
    return __builtin_copysign(whole / power, x);
}

} // namespace pkc

#endif
