#include "common.h"

int main(void)
{
    return run_name_tests() + run_evaluate_tests() + run_class_tests() + run_closure_tests() +
           run_error_tests();
}
