#include "common.h"

int main(void)
{
    return run_record_tests() + run_place_tests() + run_entry_tests() + run_log_tests() +
           run_manifest_tests() + run_migrate_tests() + run_compile_tests() + run_upkeep_tests() +
           run_read_only_tests();
}
