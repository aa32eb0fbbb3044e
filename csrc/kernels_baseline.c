/* The floor of the platform: runs everywhere. */
#define RM_ISA baseline
#define RM_CROSSOVER 96
#define RM_VECTOR_BYTES 16
#include "kernels.h"
