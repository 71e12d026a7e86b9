/*
 * Runs a fuzzer's function on files, and on those in folders, where libFuzzer is not linked in.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return 1;
    }
    static uint8_t data[1 << 20];
    const size_t size = fread(data, 1, sizeof(data), f);
    fclose(f);
    /* A copy of its own size, so that a sanitizer sees what is read behind it. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        return 1;
    }
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    int count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        if (dir == NULL) {
            failed += run_file(argv[i]);
            count++;
            continue;
        }
        for (const struct dirent *item = readdir(dir); item != NULL; item = readdir(dir)) {
            char path[4096];
            if (item->d_name[0] != '.') {
                (void)snprintf(path, sizeof(path), "%s/%s", argv[i], item->d_name);
                failed += run_file(path);
                count++;
            }
        }
        (void)closedir(dir);
    }
    printf("%d inputs\n", count);
    return failed > 0 || count == 0;
}
