/* One user's relevant items against candidates, a tile at a time, for the kernel type T. A few entries are
 * compared with every candidate, and sorted by what was counted. More are sorted by score first, and each
 * candidate is searched for among them. */

/* ---- searching ---- */

/* The first entry, from `low` on, that stands after candidate `item` of score v in the settled order. */
static int64_t FN(successor)(const FN(user) *u, int64_t low, TYPE v, int32_t item)
{
    int64_t high = u->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (u->score[middle] == v && !FN(leads)(u, item, u->item[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds candidates to the bucket of the first entry they do not stand below; unfold sums the buckets.
 * Where a candidate falls cannot be predicted, so one below all entries adds nothing rather than branch. */
static void FN(search)(const FN(user) *u, const TYPE *x, int64_t n, int32_t sign, rm_entries *e)
{
    int64_t j;
    for (j = 0; j < n; j++) {
        int64_t b = FN(bucket)(u->score, u->n, x[j]);
        int is_below = b == u->n;
        b -= is_below;
        e->ahead[b] += is_below ? 0 : sign;
        e->tied[b] += u->score[b] == x[j] ? sign : 0;
    }
}

/* The same where an order settles ties: the items are given, or start, start + 1, ... */
static void
FN(search_settled)(const FN(user) *u, const TYPE *x, int64_t n, const int32_t *items, int64_t start,
                           int32_t sign, rm_entries *e)
{
    int64_t j;
    for (j = 0; j < n; j++) {
        int64_t b = FN(bucket)(u->score, u->n, x[j]);
        if (b == u->n)
            continue;
        e->ahead[b] += sign;
        if (u->score[b] == x[j]) {
            e->tied[b] += sign;
            b = FN(successor)(u, b, x[j], items ? items[j] : (int32_t)(start + j));
        }
        if (b < u->n)
            e->position[b] += sign;
    }
}

/* ---- whichever way ---- */

typedef struct {
    const rm_kernels *kernels;
    FN(user) user;
    rm_entries out;  /* this user's slice */
    int32_t *places; /* room that nothing needs yet, or NULL */
    int searching;
    int32_t *above, *at_least; /* where the others are counted: in `out`, or in `few` */
    few_counts few;
    int has_bound; /* min_score */
    TYPE bound;
    int32_t above_bound, at_least_bound;
} FN(counter);

/* Whether the entries are searched, and so must be sorted before the candidates come. */
static int FN(is_searched)(const rm_kernels *kernels, const FN(user) *u)
{
    return u->settled || u->n > kernels->crossover;
}

static void FN(zero_counts)(FN(counter) *c)
{
    int64_t i;
    c->above = c->out.ahead;
    c->at_least = c->out.tied;
    for (i = 0; i < c->user.n; i++)
        c->above[i] = c->at_least[i] = 0;
    for (i = 0; i < c->user.n && c->out.position; i++)
        c->out.position[i] = 0;
}

/* Adds (sign 1) or takes out (-1) at most RM_TILE candidates: the given items, or start, start + 1, ... */
static void FN(count_tile)(FN(counter) *c, const TYPE *x, int64_t n, const int32_t *items, int64_t start,
                       int32_t sign)
{
    if (c->user.settled)
        FN(search_settled)(&c->user, x, n, items, start, sign, &c->out);
    else if (c->searching)
        FN(search)(&c->user, x, n, sign, &c->out);
    else
        c->kernels->FN(count)(x, n, c->user.score, c->user.n, sign, c->above, c->at_least);
    if (c->has_bound)
        c->kernels->FN(count)(x, n, &c->bound, 1, sign, &c->above_bound, &c->at_least_bound);
}

/* The entries that are candidates: with a bound, the others come last where they are sorted. */
static int64_t FN(count_kept)(const FN(counter) *c)
{
    int64_t kept = 0, i;
    if (!c->has_bound)
        return c->user.n;
    for (i = 0; i < c->user.n; i++)
        kept += c->user.score[i] >= c->bound;
    return kept;
}

/* n candidates were counted; no score is needed any more, but all grades are. */
static void FN(finish)(FN(counter) *c, int64_t kept, int64_t n, int64_t *candidates)
{
    *candidates = c->has_bound ? c->at_least_bound : n;
    if (c->searching)
        unfold(&c->out, c->user.n);
    else if (c->above == c->out.ahead)
        order_counted(&c->out, c->user.n, n);
    else if (!order_few(&c->out, &c->few, (int)c->user.n))
        order_few_tied(&c->out, &c->few, (int)c->user.n);
    drop_entries(&c->out, kept, c->user.n);
    if (c->out.position || c->user.lean)
        order_ties(&c->out, kept);
}
