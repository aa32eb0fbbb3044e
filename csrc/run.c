/* The only OpenMP: loops over blocks of users. */
#include <stdlib.h>
#include <time.h>

#include "internal.h"

#define BLOCK_WORK 65536 /* elements per block: long enough to hide its start, short enough to share out */
#define BLOCK_USERS 4096
#define POLL_SECONDS 0.05

void *rm_grow(rm_buffer *buffer, size_t bytes)
{
    free(buffer->data);
    buffer->bytes = bytes + bytes / 4;
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
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
    rm_status first; /* the failure of the lowest row so far; code RM_OK: none */
    int stopped;     /* interrupted or out of memory: no further block starts */
    double polled;
} progress;

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
static void poll_interrupt(progress *state, const rm_run *run)
{
    double now;
    if (!run->interrupted || rm_thread_id() != 0)
        return;
    now = seconds();
    if (now - state->polled < POLL_SECONDS)
        return;
    state->polled = now;
    if (run->interrupted())
        report(state, rm_fail(RM_INTERRUPTED, -1, -1, 0.0));
}

static void run_block(const rm_loop *loop, const rm_run *run, progress *state, void *scratch, int64_t begin,
                      int64_t end)
{
    int64_t user;
    if (!wanted(state, begin))
        return;
    for (user = begin; user < end; user++) {
        if (loop->body(loop->context, scratch, user) != RM_OK) {
            report(state, stopped_by);
            return;
        }
    }
    poll_interrupt(state, run);
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
    progress state = {rm_ok(), 0, seconds()};

    if (n_threads > n_blocks)
        n_threads = n_blocks > 0 ? (int)n_blocks : 1;
#pragma omp parallel num_threads(n_threads) if (n_threads > 1)
    {
        void *scratch = calloc(1, loop->scratch_size ? loop->scratch_size : 1);
        int64_t block;
        if (!scratch)
            report(&state, rm_fail(RM_NO_MEMORY, -1, -1, 0.0));
#pragma omp for schedule(dynamic, 1)
        for (block = 0; block < n_blocks; block++) {
            int64_t begin = block * length;
            int64_t end = begin + length < loop->n_users ? begin + length : loop->n_users;
            if (scratch)
                run_block(loop, run, &state, scratch, begin, end);
        }
        if (scratch && loop->release)
            loop->release(scratch);
        free(scratch);
    }
    return state.first;
}
