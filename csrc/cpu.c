/* Which instruction sets this build has and this CPU runs. */
#include "internal.h"

#ifndef RM_VERSION
#define RM_VERSION "unknown"
#endif
#ifndef RM_COMPILER
#define RM_COMPILER "unknown"
#endif

typedef struct {
    const char *name;
    const rm_kernels *kernels;
    int (*runs_here)(void);
} isa;

static int always(void) { return 1; }

#ifdef RM_HAVE_AVX2
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}
#endif

/* Best first. */
static const isa ISAS[] = {
#ifdef RM_HAVE_AVX2
    {"avx2", &rm_kernels_avx2, has_avx2},
#endif
    {"baseline", &rm_kernels_baseline, always},
};
#define N_ISAS ((int)(sizeof ISAS / sizeof ISAS[0]))

const char *rm_isa_name(int i) { return i >= 0 && i < N_ISAS ? ISAS[i].name : NULL; }

int rm_isa_usable(int i) { return i >= 0 && i < N_ISAS && ISAS[i].runs_here(); }

const rm_kernels *rm_find_kernels(const char *name)
{
    int i;
    for (i = 0; i < N_ISAS; i++)
        if ((!name || !strcmp(name, ISAS[i].name)) && ISAS[i].runs_here())
            return ISAS[i].kernels;
    return NULL;
}

const char *rm_kernels_name(const rm_kernels *kernels) { return kernels->name; }

const char *rm_version(void) { return RM_VERSION; }
const char *rm_compiler(void) { return RM_COMPILER; }
