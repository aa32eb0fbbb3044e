/* OpenMP stand-ins, and what keeps a forked child from waiting for threads that are not there. */
#include "internal.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(_OPENMP) && !defined(_WIN32)
#include <pthread.h>
#define RM_FORK_GUARD
#endif

#ifdef RM_FORK_GUARD
/* libgomp's thread pool does not survive fork: a child of a process that used it hangs in its first
 * parallel region. Such a child runs on one thread. */
static volatile int used_threads;
static volatile int orphaned;
static pthread_once_t guard_once = PTHREAD_ONCE_INIT;

static void after_fork_in_child(void) { orphaned = orphaned || used_threads; }
static void install_guard(void) { pthread_atfork(NULL, NULL, after_fork_in_child); }
#endif

int rm_usable_threads(int wanted)
{
#ifdef RM_FORK_GUARD
    if (wanted > 1) {
        pthread_once(&guard_once, install_guard);
        if (orphaned)
            return 1;
        used_threads = 1;
    }
#endif
#ifdef _OPENMP
    return wanted;
#else
    (void)wanted;
    return 1;
#endif
}

int rm_thread_id(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

int rm_team_size(void)
{
#ifdef _OPENMP
    return omp_get_num_threads();
#else
    return 1;
#endif
}

int rm_has_openmp(void)
{
#ifdef _OPENMP
    return 1;
#else
    return 0;
#endif
}
