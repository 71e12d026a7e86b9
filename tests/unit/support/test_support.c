#include "tests.h"

int main(void)
{
    return run_text_tests() + run_diag_tests() + run_file_tests() + run_part_tests();
}
