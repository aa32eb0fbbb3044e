/* One user whose relevant items have been found, for the kernel type T. They stand in `ahead`. */

/* A NaN is not below any other score, and so ties with all: where nothing ties, none need be looked for. */
static int FN(has_numbers)(const rm_ranker *r, const TYPE *row, int64_t n)
{
    return !r->run->kernels->FN(has_nan)(row, n);
}

static int
FN(rank_few)(const rm_ranker *r, const rm_entries *out, const TYPE *row, int64_t n, int64_t n_entries)
{
    few_counts counts = {{{0}, {0}}, {{0}, {0}}};
    TYPE score[FEW];
    int64_t i;
    for (i = 0; i < n_entries; i++)
        score[i] = row[out->ahead[i]];
    r->run->kernels->FN(
        count)(row, n, score, n_entries, 1, (int32_t *)counts.above, (int32_t *)counts.at_least);
    if (order_few(out, &counts, (int)n_entries))
        return 1;
    order_few_tied(out, &counts, (int)n_entries);
    return FN(has_numbers)(r, row, n);
}

static int FN(rank_more)(const rm_ranker *r, rm_rank_scratch *s, const rm_entries *out, const TYPE *row,
                     int64_t n, int64_t n_entries)
{
    TYPE *score = rm_reserve(&s->scores, n_entries, sizeof *score);
    int64_t i;
    if (!score)
        return 0;
    for (i = 0; i < n_entries; i++) {
        score[i] = row[out->ahead[i]];
        out->ahead[i] = out->tied[i] = 0;
    }
    r->run->kernels->FN(count)(row, n, score, n_entries, 1, out->ahead, out->tied);
    return order_counted(out, n_entries, n) || FN(has_numbers)(r, row, n);
}

/* 0, and `ahead` as it was, where a relevant item ties. */
static int FN(rank_split)(const rm_ranker *r, const rm_entries *out, const TYPE *row, const char *labels,
                      int64_t n, int64_t n_entries)
{
    int64_t i;
    if (!r->run->kernels->FN(split)(row, n, out->ahead, n_entries, out->tied))
        return 0;
    rm_load_grades(&r->input->labels, labels, out->tied, n_entries, out->grade);
    for (i = 0; i < n_entries; i++)
        out->tied[i] = 1;
    return 1;
}

/* 0 where the user must be ranked the long way, if only to learn what is wrong. */
static int
FN(rank_found)(const rm_ranker *r, rm_rank_scratch *s, const rm_entries *out, int64_t user, int64_t n,
                      int64_t n_entries)
{
    const rm_input *input = r->input;
    const TYPE *row = (const TYPE *)rm_row(&input->scores, input->offsets, user);
    const char *labels = rm_row(&input->labels, input->offsets, user);
    if (n_entries == 0)
        return FN(has_numbers)(r, row, n);
    if (n == 1 && !FN(has_numbers)(r, row, n)) /* which has nothing to tie with */
        return 0;
    if (n_entries > r->run->kernels->crossover)
        return 0;
    if (n_entries >= r->run->kernels->split_least && FN(rank_split)(r, out, row, labels, n, n_entries))
        return 1;
    rm_load_grades(&input->labels, labels, out->ahead, n_entries, out->grade);
    return n_entries <= FEW ? FN(rank_few)(r, out, row, n, n_entries) : FN(rank_more)(r, s, out, row, n, n_entries);
}
