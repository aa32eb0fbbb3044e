/* Compiled with AVX2 enabled; called only where cpu.c found it. */
#define RM_ISA avx2
#define RM_CROSSOVER 224
#define RM_VECTOR_BYTES 32
#include "kernels.h"
