/*
 * A compiler that takes a millisecond, for tests that compile thousands of times. Its "object" is
 * the source and all it includes, one after the other, behind the flags: so whether an object is
 * the right one can be seen. It answers what the launcher asks a compiler, writes a depfile, and
 * adds a line to FAKE_COMPILER_LOG for each compile.
 *
 * As a linker (-r -o OUTPUT OBJECT...) it joins such objects: one after the other, and refuses a
 * file that does not begin as one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *dirs[64];
static int dir_count;
static FILE *object;
static FILE *depfile;
static char *seen[512];
static int seen_count;

static int fail(const char *what, const char *path)
{
    fprintf(stderr, "fake compiler: %s: %s\n", what, path);
    exit(1);
}

static int first_time(const char *path)
{
    for (int i = 0; i < seen_count; i++) {
        if (strcmp(seen[i], path) == 0) {
            return 0;
        }
    }
    if (seen_count == 512) {
        fail("too many headers", path);
    }
    seen[seen_count++] = strdup(path);
    return 1;
}

static void add_file(const char *path);

static void add_include(const char *line)
{
    char name[1024];
    if (sscanf(line, " # include %*[<\"]%1023[^>\"]", name) != 1 &&
        sscanf(line, "#include %*[<\"]%1023[^>\"]", name) != 1) {
        return;
    }
    for (int i = 0; i < dir_count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
        if (access(path, R_OK) == 0) {
            add_file(path);
            return;
        }
    }
    fail("no such header", name);
}

static void add_file(const char *path)
{
    char line[4096];
    if (!first_time(path)) {
        return;
    }
    if (depfile != NULL) {
        fprintf(depfile, " \\\n  %s", path);
    }
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        fail("cannot read", path);
    }
    while (fgets(line, sizeof(line), f) != NULL) {
        fputs(line, object);
        if (strstr(line, "#include") == line) {
            add_include(line);
        }
    }
    fclose(f);
}

static void log_compile(const char *source)
{
    const char *path = getenv("FAKE_COMPILER_LOG");
    const int fd = path != NULL ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    char line[4096];
    if (fd >= 0) {
        const int len = snprintf(line, sizeof(line), "%s\n", source);
        if (write(fd, line, (size_t)len) != len) {
            fail("cannot write", path);
        }
        close(fd);
    }
}

static int join(int argc, char **argv)
{
    object = fopen(argv[3], "w");
    if (object == NULL) {
        return fail("cannot write", argv[3]);
    }
    fputs("joined\n", object);
    for (int i = 4; i < argc; i++) {
        char line[4096];
        FILE *f = fopen(argv[i], "r");
        if (f == NULL || fgets(line, sizeof(line), f) == NULL || strncmp(line, "flags ", 6) != 0) {
            return fail("no object", argv[i]);
        }
        do {
            fputs(line, object);
        } while (fgets(line, sizeof(line), f) != NULL);
        fclose(f);
    }
    return fclose(object) == 0 ? 0 : fail("cannot write", argv[3]);
}

int main(int argc, char **argv)
{
    const char *output = NULL;
    const char *source = NULL;
    const char *deps = NULL;
    const char *target = NULL;
    char flags[8192] = "";
    if (argc > 4 && strcmp(argv[1], "-r") == 0) {
        return join(argc, argv);
    }
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--version") == 0) {
            puts("fake compiler 1");
            return 0;
        }
        if (strcmp(arg, "-dumpmachine") == 0) {
            puts("fake-machine");
            return 0;
        }
        if (strncmp(arg, "-print-prog-name=", 17) == 0) {
            puts(arg + 17);
            return 0;
        }
        if (strcmp(arg, "-M") == 0 || strcmp(arg, "-E") == 0) {
            puts("null.o: /dev/null");
            return 0;
        }
        if (strcmp(arg, "-o") == 0 && i + 1 < argc) {
            output = argv[++i];
        } else if (strcmp(arg, "-MF") == 0 && i + 1 < argc) {
            deps = argv[++i];
        } else if (strcmp(arg, "-MT") == 0 && i + 1 < argc) {
            target = argv[++i];
        } else if (strncmp(arg, "-I", 2) == 0) {
            dirs[dir_count < 63 ? dir_count++ : 63] = arg + 2;
        } else if (arg[0] == '-') {
            if (strcmp(arg, "-c") != 0 && strcmp(arg, "-MD") != 0) {
                strncat(flags, arg, sizeof(flags) - strlen(flags) - 2);
                strcat(flags, " ");
            }
        } else {
            source = arg;
        }
    }
    if (output == NULL || source == NULL) {
        return fail("usage", "-c SOURCE -o OBJECT");
    }
    const char *pause_ms = getenv("FAKE_COMPILER_MS");
    if (pause_ms != NULL) {
        usleep((useconds_t)atoi(pause_ms) * 1000);
    }
    log_compile(source);
    object = fopen(output, "w");
    if (object == NULL) {
        return fail("cannot write", output);
    }
    depfile = deps != NULL ? fopen(deps, "w") : NULL;
    if (depfile != NULL) {
        fprintf(depfile, "%s:", target != NULL ? target : output);
    }
    fprintf(object, "flags %s\n", flags);
    add_file(source);
    if (depfile != NULL) {
        fputc('\n', depfile);
        if (fclose(depfile) != 0) {
            return fail("cannot write", deps);
        }
    }
    return fclose(object) == 0 ? 0 : fail("cannot write", output);
}
