/* diff: the difference of two texts, for people. */
#ifndef PKC_CLI_DIFF_H
#define PKC_CLI_DIFF_H

#include "cli/cli.h"

/* Adds (struct str *) the lines that differ, "- old" and "+ new", with two of those around them;
 * "@ definition" where lines before were left out. Nothing where the texts are equal. */
void cli_diff(struct arena *a, struct str old_text, struct str new_text, struct vec *lines);

#endif
