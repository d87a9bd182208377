/* Small measurements of a Linux machine: one a call, its results as lines "name value". Times are the least of
 * several repeats, since what disturbs a measurement only adds to it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPEATS 9

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void must(int good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static double least(double (*once)(long), long times)
{
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double took = once(times) / times;
        if (took < best)
            best = took;
    }
    return best;
}

static double calls(long times)
{
    double begun = now();
    for (long i = 0; i < times; i++)
        syscall(SYS_getppid);
    return now() - begun;
}

static int there[2], back[2], from_end;

/* A byte is written, and read at `from_end`: where it was written to, or where another process answers. */
static double turns(long times)
{
    char byte = 0;
    double begun = now();
    for (long i = 0; i < times; i++) {
        must(write(there[1], &byte, 1) == 1, "write");
        must(read(from_end, &byte, 1) == 1, "read");
    }
    return now() - begun;
}

/* The writes of the same alone. */
static double writes(long times)
{
    char byte = 0;
    double took = 0;
    for (long i = 0; i < times; i++) {
        double begun = now();
        must(write(there[1], &byte, 1) == 1, "write");
        took += now() - begun;
        must(read(from_end, &byte, 1) == 1, "read");
    }
    return took;
}

/* A byte to and fro between two processes, of which the second runs on the CPU `other`. */
static void switches(int other)
{
    must(pipe(there) == 0 && pipe(back) == 0, "pipe");
    from_end = there[0];
    double alone = least(turns, 20000), write_alone = least(writes, 20000);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        pin(other);
        close(there[1]);
        while (read(there[0], &byte, 1) == 1)
            if (write(back[1], &byte, 1) != 1)
                break;
        _exit(0);
    }
    close(there[0]);
    from_end = back[0];
    double both = least(turns, 2000), write_both = least(writes, 2000);
    close(there[1]);
    waitpid(child, NULL, 0);
    printf("pipe_ns %.1f\nround_trip_ns %.1f\n", alone * 1e9, both * 1e9);
    if (other)
        printf("wake_ns %.1f\nwaking_write_ns %.1f\n", (both / 2 - alone) * 1e9, (write_both - write_alone) * 1e9);
    else
        printf("context_switch_ns %.1f\n", (both / 2 - alone) * 1e9);
}

static char *from, *to;
static size_t span, piece;

static double copies(long times)
{
    double begun = now();
    for (long i = 0; i < times; i++)
        for (size_t at = 0; at + piece <= span; at += piece) {
            memcpy(to + (piece == span ? 0 : at % piece), from + at, piece);
            __asm__ volatile("" ::: "memory");
        }
    return now() - begun;
}

static volatile uint64_t sink;

static double parities(long times)
{
    double begun = now();
    for (long i = 0; i < times; i++) {
        uint64_t *a = (uint64_t *)from, *b = (uint64_t *)to;
        for (size_t n = 0; n < span / 8; n++)
            b[n] ^= a[n];
        sink += b[0];
    }
    return now() - begun;
}

static void buffers(size_t size)
{
    from = aligned_alloc(4096, size);
    to = aligned_alloc(4096, size);
    must(from && to, "memory");
    memset(from, 1, size);
    memset(to, 2, size);
}

static void copy(size_t most)
{
    buffers(most);
    for (size_t size = 4096; size <= most; size *= 4) {
        span = piece = size;
        long times = size < (1 << 22) ? (1 << 24) / size + 1 : 1;
        printf("copy_%zu_MBps %.0f\n", size, size / least(copies, times) / 1e6);
    }
    /* As a read of a cached file does: from all over memory into a small buffer that is used again. */
    span = most;
    piece = 64 << 10;
    printf("copy_to_buffer_MBps %.0f\n", span / least(copies, 1) / 1e6);
    span = most / 4;
    printf("xor_MBps %.0f\n", span / least(parities, 1) / 1e6);
}

static void together(size_t size, int cpus)
{
    int gate[2];
    must(pipe(gate) == 0, "pipe");
    for (int cpu = 0; cpu < cpus; cpu++)
        if (fork() == 0) {
            char byte;
            pin(cpu);
            buffers(size);
            span = piece = size;
            close(gate[1]);
            must(read(gate[0], &byte, 1) == 0, "read");
            printf("copy_of_%d_MBps %.0f\n", cpu, size / least(copies, 2) / 1e6);
            fflush(stdout);
            _exit(0);
        }
    close(gate[1]);
    while (wait(NULL) > 0)
        ;
}

static char *name;

static double touched(long pages)
{
    int file = name ? open(name, O_RDONLY) : -1;
    must(!name || file >= 0, "open");
    char *at = mmap(NULL, pages * 4096, name ? PROT_READ : PROT_READ | PROT_WRITE,
                    name ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0);
    must(at != MAP_FAILED, "mmap");
    madvise(at, pages * 4096, MADV_NOHUGEPAGE);
    double begun = now();
    for (long n = 0; n < pages; n++)
        if (name)
            sink += at[n * 4096];
        else
            at[n * 4096] = 1;
    double took = now() - begun;
    munmap(at, pages * 4096);
    if (name)
        close(file);
    return took;
}

static double maps(long times)
{
    int file = open(name, O_RDONLY);
    double begun = now();
    for (long i = 0; i < times; i++) {
        void *at = mmap(NULL, 65536, PROT_READ, MAP_SHARED, file, 0);
        must(at != MAP_FAILED, "mmap");
        munmap(at, 65536);
    }
    double took = now() - begun;
    close(file);
    return took;
}

static void faults(char *file)
{
    struct stat found;
    must(stat(file, &found) == 0, "stat");
    name = file;
    printf("file_fault_ns %.1f\n", least(touched, found.st_size / 4096) * 1e9);
    printf("map_call_ns %.1f\n", least(maps, 2000) * 1e9 / 2);
    name = NULL;
    printf("anonymous_fault_ns %.1f\n", least(touched, 4096) * 1e9);
}

static void exactly(int socket, char *buffer, long size)
{
    for (long got = 0; got < size;) {
        long more = read(socket, buffer, size - got);
        if (more <= 0)
            exit(0);
        got += more;
    }
}

static void respond(int port, char *address)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = INADDR_ANY};
    int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    must(!address || inet_pton(AF_INET, address, &own.sin_addr) == 1, "address");
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    must(bind(listening, (struct sockaddr *)&own, sizeof own) == 0 && listen(listening, 8) == 0, "listen");
    for (;;) {
        int client = accept(listening, NULL, NULL);
        must(client >= 0, "accept");
        if (fork() == 0) {
            int32_t sizes[2];
            setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            exactly(client, (char *)sizes, sizeof sizes);
            if (sizes[0] < 1 || sizes[1] < 1 || sizes[0] > 1 << 24 || sizes[1] > 1 << 24)
                exit(1);
            char *buffer = calloc(1, sizes[0] > sizes[1] ? sizes[0] : sizes[1]);
            for (;;) {
                exactly(client, buffer, sizes[0]);
                must(write(client, buffer, sizes[1]) == sizes[1], "write");
            }
        }
        close(client);
    }
}

static void ask(char *host, int port, int request, int response, double seconds)
{
    struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(port)};
    int server = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    int32_t sizes[2] = {request, response};
    must(inet_pton(AF_INET, host, &far.sin_addr) == 1, "address");
    must(connect(server, (struct sockaddr *)&far, sizeof far) == 0, "connect");
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    must(write(server, sizes, sizeof sizes) == sizeof sizes, "write");
    char *buffer = calloc(1, request > response ? request : response);
    long count = 0;
    double begun = now(), until = begun + seconds;
    while (now() < until) {
        must(write(server, buffer, request) == request, "write");
        exactly(server, buffer, response);
        count++;
    }
    printf("transactions %ld\ntransaction_us %.3f\n", count, (now() - begun) / count * 1e6);
}

int main(int given, char **words)
{
    const char *what = given > 1 ? words[1] : "";
    if (!strcmp(what, "calls")) {
        pin(0);
        printf("system_call_ns %.1f\n", least(calls, 200000) * 1e9);
    } else if (!strcmp(what, "switches")) {
        pin(0);
        switches(0);
    } else if (!strcmp(what, "wakes")) {
        pin(0);
        switches(1);
    } else if (!strcmp(what, "copy") && given > 2) {
        pin(0);
        copy(strtoul(words[2], NULL, 10));
    } else if (!strcmp(what, "together") && given > 3) {
        together(strtoul(words[2], NULL, 10), atoi(words[3]));
    } else if (!strcmp(what, "faults") && given > 2) {
        pin(0);
        faults(words[2]);
    } else if (!strcmp(what, "respond") && given > 2) {
        respond(atoi(words[2]), given > 3 ? words[3] : NULL);
    } else if (!strcmp(what, "ask") && given > 6) {
        ask(words[2], atoi(words[3]), atoi(words[4]), atoi(words[5]), atof(words[6]));
    } else {
        fprintf(stderr, "calls | switches | wakes | copy BYTES | together BYTES CPUS | faults FILE | respond PORT [ADDRESS] | "
                        "ask HOST PORT REQUEST RESPONSE SECONDS\n");
        return 2;
    }
    return 0;
}
