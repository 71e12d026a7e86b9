#include "lowered.h"

int main(void)
{
    const struct {
        const struct CMUnitTest *tests;
        size_t count;
    } groups[] = {
        {instantiation_tests, instantiation_test_count},
        {lower_tests, lower_test_count},
        {refused_tests, refused_test_count},
        {signature_tests, signature_test_count},
    };
    int failures = 0;

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        failures += _cmocka_run_group_tests("kernel", groups[i].tests, groups[i].count, NULL, NULL);
    }
    return failures;
}
