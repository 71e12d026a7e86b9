#include "cli/cli.h"
#include "launch/launch.h"

int cmd_compile(int argc, char **argv)
{
    return launch_main(argc, argv);
}
