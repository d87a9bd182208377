#define _GNU_SOURCE
/* Holds each frame between two interfaces for a time: relay LEFT RIGHT MICROSECONDS, one way and the other alike. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 15, FRAME = 1600 };

struct held { int64_t due; int length; unsigned char bytes[FRAME]; };
struct way { int from, to; unsigned head, count; struct held *ring; };

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int bound(const char *name) {
    int packets = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), size = 1 << 26, on = 1;
    struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    at.sll_ifindex = if_nametoindex(name);
    setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    setsockopt(packets, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
    setsockopt(packets, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    if (packets < 0 || !at.sll_ifindex || bind(packets, (struct sockaddr *)&at, sizeof at)) {
        perror(name);
        exit(1);
    }
    return packets;
}

static void take(struct way *way, int64_t delay) {
    while (way->count < ROOM) {
        struct held *one = &way->ring[(way->head + way->count) % ROOM];
        int length = recv(way->from, one->bytes, FRAME, MSG_DONTWAIT | MSG_TRUNC);
        if (length <= 0) return;
        if (length > FRAME) {
            fprintf(stderr, "a frame of %d bytes: offloading is on\n", length);
            exit(1);
        }
        one->due = now() + delay;
        one->length = length;
        way->count++;
    }
}

static void pass(struct way *way) {
    while (way->count && way->ring[way->head].due <= now()) {
        struct held *one = &way->ring[way->head];
        send(way->to, one->bytes, one->length, 0);
        way->head = (way->head + 1) % ROOM;
        way->count--;
    }
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int left = bound(words[1]), right = bound(words[2]);
    int64_t delay = atoll(words[3]) * 1000;
    struct way ways[2] = {{left, right}, {right, left}};
    prctl(PR_SET_TIMERSLACK, 1000);
    for (int i = 0; i < 2; i++) ways[i].ring = calloc(ROOM, sizeof(struct held));
    puts("ready");
    fflush(stdout);
    for (;;) {
        int64_t next = now() + 100000000;
        for (int i = 0; i < 2; i++) {
            take(&ways[i], delay);
            pass(&ways[i]);
            if (ways[i].count && ways[i].ring[ways[i].head].due < next) next = ways[i].ring[ways[i].head].due;
        }
        int64_t left_over = next - now();
        if (left_over > 0) {
            struct pollfd wanted[2] = {{left, POLLIN, 0}, {right, POLLIN, 0}};
            struct timespec rest = {left_over / 1000000000, left_over % 1000000000};
            ppoll(wanted, 2, &rest, NULL);
        }
    }
}
