/* Runs a fuzz target on the files and folders that are named: for compilers without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    uint8_t *data = NULL;
    size_t size = 0;
    size_t cap = 0;
    for (;;) {
        if (size == cap) {
            cap = cap == 0 ? 4096 : cap * 2;
            uint8_t *bigger = realloc(data, cap);
            if (bigger == NULL) {
                free(data);
                (void)fclose(file);
                return 1;
            }
            data = bigger;
        }
        const size_t got = fread(data + size, 1, cap - size, file);
        if (got == 0) {
            break;
        }
        size += got;
    }
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

static int run(const char *path, size_t *count)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(st.st_mode)) {
        (*count)++;
        return run_file(path);
    }
    DIR *folder = opendir(path);
    if (folder == NULL) {
        perror(path);
        return 1;
    }
    int status = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char name[4096];
        if (snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) < (int)sizeof(name)) {
            status |= run(name, count);
        }
    }
    (void)closedir(folder);
    return status;
}

int main(int argc, char **argv)
{
    int status = 0;
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        status |= run(argv[i], &count);
    }
    printf("%zu inputs\n", count);
    return count == 0 ? 1 : status;
}
