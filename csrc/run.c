/* The only OpenMP: loops over blocks of users. */
#include <stdlib.h>
#include <time.h>

#include "internal.h"

#define BLOCK_WORK 65536 /* elements per block: long enough to hide its start, short enough to share out */
#define BLOCK_USERS 4096
#define POLL_SECONDS 0.05
#define LARGE (1 << 20) /* bytes from which a buffer has no room to spare */

void *rm_grow(rm_buffer *buffer, size_t bytes)
{
    free(buffer->data);
    buffer->bytes = bytes < LARGE ? bytes + bytes / 4 : bytes;
    buffer->data = malloc(buffer->bytes);
    if (!buffer->data)
        buffer->bytes = 0;
    return buffer->data;
}

void rm_release(rm_buffer *buffer)
{
    free(buffer->data);
    buffer->data = NULL;
    buffer->bytes = 0;
}

static _Thread_local rm_status stopped_by;

rm_code rm_stop(rm_code code, int64_t row, int64_t column, double value)
{
    stopped_by = rm_fail(code, row, column, value);
    return code;
}

static double seconds(void)
{
    struct timespec now;
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
    const rm_run *run;
    rm_status first;      /* the failure of the lowest row so far; code RM_OK: none */
    volatile int stopped; /* interrupted or out of memory: no further block starts */
    double polled;
    int n_done; /* threads that have no further block */
} progress;

/* The loop that this thread is in, and whether it is the thread that called. */
static _Thread_local progress *loop_of_thread;
static _Thread_local int is_caller;

/* Blocks at rows beyond a known failure need not run; earlier ones must, so that the first row wins. */
static int wanted(const progress *state, int64_t begin)
{
    int go;
#pragma omp critical(rm_progress)
    go = !state->stopped && (state->first.code == RM_OK || begin <= state->first.row);
    return go;
}

static void report(progress *state, rm_status status)
{
#pragma omp critical(rm_progress)
    {
        int stops = status.code == RM_INTERRUPTED || status.code == RM_NO_MEMORY;
        if (stops && !state->stopped) {
            state->stopped = 1;
            state->first = status;
        } else if (!state->stopped && (state->first.code == RM_OK || status.row < state->first.row)) {
            state->first = status;
        }
    }
}

/* Only the calling thread may ask: signals belong to it. */
static void poll_interrupt(progress *state)
{
    double now;
    if (!state->run->interrupted || !is_caller)
        return;
    now = seconds();
    if (now - state->polled < POLL_SECONDS)
        return;
    state->polled = now;
    if (state->run->interrupted())
        report(state, rm_fail(RM_INTERRUPTED, -1, -1, 0.0));
}

int rm_stopped(void)
{
    if (!loop_of_thread)
        return 0;
    poll_interrupt(loop_of_thread);
    return loop_of_thread->stopped;
}

/* The caller has no further block, but others may be at work on a huge user. */
static void wait_for_others(progress *state, int n_others)
{
    const struct timespec pause = {0, 100000};
    for (;;) {
        int n_done;
#pragma omp atomic read
        n_done = state->n_done;
        if (n_done >= n_others)
            return;
        poll_interrupt(state);
        nanosleep(&pause, NULL);
    }
}

static void run_block(const rm_loop *loop, progress *state, void *scratch, int64_t begin, int64_t end)
{
    int64_t user;
    if (!wanted(state, begin))
        return;
    for (user = begin; user < end; user++) {
        if (loop->body(loop->context, scratch, user) != RM_OK) {
            report(state, stopped_by);
            break;
        }
    }
    if (loop->finish && loop->finish(loop->context, scratch) != RM_OK)
        report(state, stopped_by);
    poll_interrupt(state);
}

static int64_t block_length(const rm_loop *loop)
{
    int64_t per_user = loop->work / (loop->n_users ? loop->n_users : 1);
    int64_t length = BLOCK_WORK / (per_user + 1) + 1;
    return length < BLOCK_USERS ? length : BLOCK_USERS;
}

rm_status rm_for_users(const rm_loop *loop, const rm_run *run)
{
    int64_t length = block_length(loop);
    int64_t n_blocks = (loop->n_users + length - 1) / length;
    int n_threads = rm_usable_threads(run->n_threads);
    progress state = {.run = run, .first = rm_ok(), .polled = seconds()};

    if (n_threads > n_blocks)
        n_threads = n_blocks > 0 ? (int)n_blocks : 1;
#pragma omp parallel num_threads(n_threads) if (n_threads > 1)
    {
        void *scratch = calloc(1, loop->scratch_size ? loop->scratch_size : 1);
        int64_t block;
        loop_of_thread = &state;
        is_caller = rm_thread_id() == 0;
        if (!scratch)
            report(&state, rm_fail(RM_NO_MEMORY, -1, -1, 0.0));
#pragma omp for schedule(dynamic, 1) nowait
        for (block = 0; block < n_blocks; block++) {
            int64_t begin = block * length;
            int64_t end = begin + length < loop->n_users ? begin + length : loop->n_users;
            if (scratch)
                run_block(loop, &state, scratch, begin, end);
        }
        if (is_caller) {
            wait_for_others(&state, rm_team_size() - 1);
        } else {
#pragma omp atomic
            state.n_done++;
        }
        loop_of_thread = NULL;
        if (scratch && loop->release)
            loop->release(scratch);
        free(scratch);
    }
    return state.first;
}
