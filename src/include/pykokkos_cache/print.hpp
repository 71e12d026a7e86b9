// What print() writes of a float: the shortest text that reads back as the same value.
#ifndef PYKOKKOS_CACHE_PRINT_HPP
#define PYKOKKOS_CACHE_PRINT_HPP

#include <pykokkos_cache/base.hpp>

extern "C" int snprintf(char *, __SIZE_TYPE__, const char *, ...) noexcept;
extern "C" double strtod(const char *, char **) noexcept;

namespace pkc
{

struct repr {
    char text[40];

    explicit repr(double x) : repr(x, false)
    {
    }
    // NumPy's float32: the shortest text for a float.
    explicit repr(float x) : repr(static_cast<double>(x), true)
    {
    }

  private:
    repr(double x, bool is_float)
    {
        if (x - x != 0) {
            snprintf(text, sizeof text, "%s", x != x ? "nan" : x < 0 ? "-inf" : "inf");
            return;
        }
        char digits[40]; // "-d.ddde+dd"
        for (int precision = 0; precision < 17; ++precision) {
            snprintf(digits, sizeof digits, "%.*e", precision, x);
            const double back = strtod(digits, nullptr);
            if (is_float ? static_cast<float>(back) == static_cast<float>(x) : back == x) {
                break;
            }
        }
        layout(digits);
    }

    // "-d.ddde+dd" as Python writes it: an exponent only below -4 and from 16 on.
    void layout(const char *digits)
    {
        char *out = text;
        if (*digits == '-') {
            *out++ = *digits++;
        }
        char number[20];
        int count = 0;
        for (; *digits != 'e'; ++digits) {
            if (*digits >= '0' && *digits <= '9') {
                number[count++] = *digits;
            }
        }
        const bool below = *++digits == '-';
        int exponent = 0;
        while (*++digits != '\0') {
            exponent = exponent * 10 + (*digits - '0');
        }
        exponent = below ? -exponent : exponent;
        if (exponent < -4 || exponent >= 16) {
            *out++ = number[0];
            if (count > 1) {
                *out++ = '.';
            }
            for (int k = 1; k < count; ++k) {
                *out++ = number[k];
            }
            snprintf(out, 8, "e%c%02d", below ? '-' : '+', below ? -exponent : exponent);
            return;
        }
        if (exponent < 0) {
            *out++ = '0';
            *out++ = '.';
            for (int k = exponent + 1; k < 0; ++k) {
                *out++ = '0';
            }
        }
        for (int k = 0; k < count || k <= exponent; ++k) {
            *out++ = k < count ? number[k] : '0';
            if (k == exponent) {
                *out++ = '.';
                if (k + 1 >= count) {
                    *out++ = '0';
                }
            }
        }
        *out = '\0';
    }
};

} // namespace pkc

#endif
