/* The parts of split.h for ROWS vectors of scores, a power of two, half of them being HALF_ROWS. */
#define SIZED_(name, rows) name##_##rows
#define SIZED__(name, rows) SIZED_(name, rows)
#define SIZED(name) SIZED__(name, ROWS)
#define HALVED(name) SIZED__(name, HALF_ROWS)
#if ROWS <= 8 /* which fit the registers */
#define PART INLINED
#else
#define PART static
#endif

/* ---- sorting ---- */

/* In each lane, a run that falls after it rose. */
PART void SIZED(merge_rows)(f32_vector *row)
{
    int i;
    UNROLLED
    for (i = 0; i < HALF_ROWS; i++)
        order_two(&row[i], &row[i + HALF_ROWS]);
    HALVED(merge_rows)(row);
    HALVED(merge_rows)(row + HALF_ROWS);
}

PART void SIZED(sort_columns)(f32_vector *row)
{
    int i;
    HALVED(sort_columns)(row);
    HALVED(sort_columns)(row + HALF_ROWS);
    UNROLLED
    for (i = 0; i < HALF_ROWS; i++)
        order_two(&row[i], &row[ROWS - 1 - i]);
    HALVED(merge_rows)(row);
    HALVED(merge_rows)(row + HALF_ROWS);
}

/* Runs of `run` lanes, two by two. */
PART void SIZED(merge_lanes)(f32_vector *row, const int run)
{
    const f32_mask mirrored = lanes ^ (2 * run - 1), later = (lanes & run) != 0;
    int i, step;
    UNROLLED
    for (i = 0; i < HALF_ROWS; i++) {
        f32_vector *first = &row[i], *last = &row[ROWS - 1 - i];
        f32_vector greater = *first, less = permuted(*last, mirrored);
        order_two(&greater, &less);
        *first = chosen(later, greater, less);
        *last = permuted(chosen(later, less, greater), mirrored);
        UNROLLED
        for (step = run / 2; step > 0; step /= 2) {
            *first = order_lanes(*first, step);
            *last = order_lanes(*last, step);
        }
    }
    SIZED(merge_rows)(row);
}

static void SIZED(sort_scores)(f32_vector *row)
{
    SIZED(sort_columns)(row);
    SIZED(merge_lanes)(row, 1);
    SIZED(merge_lanes)(row, 2);
    SIZED(merge_lanes)(row, 4);
}

/* How many sorted scores equal the one before. */
static int32_t SIZED(count_repeated)(const f32_vector *row)
{
    f32_mask repeated = row[ROWS - 1] == permuted(row[0], lanes + 1);
    int i;
    UNROLLED
    for (i = 1; i < ROWS; i++)
        repeated += row[i] == row[i - 1];
    return -sum_eight(repeated);
}

/* ---- searching ---- */

/* Each candidate finds its lane by the last score of each, and its row by halves of the lane. Where it
 * differs from all scores is returned: the first that is not above it is below. */
INLINED f32_mask SIZED(find_places)(const f32_vector *row, const f32_vector *top, f32_vector x,
                                    int32_t *place)
{
    f32_mask lane = -(top[0] > x), below, index;
    f32_vector left[HALF_ROWS];
    int half, i;
    lane += lane - (permuted(top[1], lane) > x);
    lane += lane - (permuted(top[2], lane) > x);
    below = permuted(row[HALF_ROWS - 1], lane) > x;
    UNROLLED
    for (i = 0; i < HALF_ROWS; i++)
        left[i] = chosen(below, permuted(row[i], lane), permuted(row[HALF_ROWS + i], lane));
    index = lane + lane - below;
    UNROLLED
    for (half = HALF_ROWS / 2; half > 0; half /= 2) {
        below = left[half - 1] > x;
        UNROLLED
        for (i = 0; i < half; i++)
            left[i] = chosen(below, left[i], left[half + i]);
        index += index - below;
    }
    *(f32_mask *)place = index;
    return left[0] < x;
}

/* Unused scores, at the end, equal each other. */
static int SIZED(split_row)(splitting *s, int64_t r, const float *x, int64_t n)
{
    static const int32_t kept[] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    f32_vector *row = s->scores.row, top[3];
    f32_mask differ = {0}, last;
    int64_t j;
    SIZED(sort_scores)(row);
    if (SIZED(count_repeated)(row) != 8 * ROWS - r - 1)
        return 0;
    top[0] = permuted(row[ROWS - 1], (f32_mask){0} + 3);
    top[1] = permuted(row[ROWS - 1], lanes * 4 + 1);
    top[2] = permuted(row[ROWS - 1], lanes * 2);
    for (j = 0; j < n - 8; j += 8) {
        differ -= SIZED(find_places)(row, top, *(const f32_vector *)(x + j), s->places + j);
        if (j >= SPLIT_BEHIND)
            count_eight(s, j - SPLIT_BEHIND);
    }
    last = SIZED(find_places)(row, top, *(const f32_vector *)(x + n - 8), s->places + n - 8);
    differ -= last & *(const f32_mask *)(kept + n - j);
    count_places(s, j > SPLIT_BEHIND ? j - SPLIT_BEHIND : 0, n);
    return n - sum_eight(differ) == r;
}

#undef ROWS
#undef HALF_ROWS
#undef PART
