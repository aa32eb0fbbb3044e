/* The floor of the platform: runs everywhere. */
#define RM_ISA baseline
#include "kernels.h"
