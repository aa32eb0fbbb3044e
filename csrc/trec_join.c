/* The documents of each query of two TREC files, in trec_eval's order, with their judgements. */
#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "internal.h"

typedef struct {
    const rm_trec_rows *retrieved, *judged;
    const rm_trec_grades *out;
} joiner;

typedef struct {
    const char *name;
    int64_t length;
    double score, grade; /* NaN: not judged */
} document;

typedef struct {
    uint32_t tag;     /* bits of the name's hash */
    int32_t document; /* its place + 1; 0: free */
} slot;

typedef struct {
    rm_buffer documents, slots;
    int64_t mask;
} join_scratch;

static void release_scratch(void *scratch)
{
    join_scratch *s = scratch;
    rm_release(&s->documents);
    rm_release(&s->slots);
}

/* ---- finding ---- */

static int prepare(join_scratch *s, int64_t n)
{
    int64_t size = 16;
    while (size < 2 * n)
        size *= 2;
    s->mask = size - 1;
    if (!rm_reserve(&s->documents, n, sizeof(document)) || !rm_reserve(&s->slots, size, sizeof(slot)))
        return 0;
    memset(s->slots.data, 0, (size_t)size * sizeof(slot));
    return 1;
}

static document at_row(const rm_trec_rows *rows, int64_t row)
{
    return (document){rows->text + rows->document[row], rows->length[row], 0.0, NAN};
}

/* The slot of a document, or the free one where it belongs. */
static slot *find(const join_scratch *s, const document *wanted)
{
    const document *documents = s->documents.data;
    slot *slots = s->slots.data;
    uint64_t h = rm_hash(wanted->name, wanted->length);
    int64_t at = (int64_t)h & s->mask;
    uint32_t tag = (uint32_t)(h >> 32);
    for (; slots[at].document; at = (at + 1) & s->mask) {
        const document *other = documents + slots[at].document - 1;
        if (slots[at].tag == tag && other->length == wanted->length &&
            !memcmp(other->name, wanted->name, (size_t)wanted->length))
            break;
    }
    slots[at].tag = tag;
    return slots + at;
}

/* ---- the two files ---- */

static int64_t row_at(const rm_trec_rows *rows, int64_t i) { return rows->rows ? rows->rows[i] : i; }

static rm_code put_retrieved(const rm_trec_rows *rows, join_scratch *s, int64_t query, int64_t n)
{
    document *documents = s->documents.data;
    int64_t i;
    for (i = 0; i < n; i++) {
        int64_t row = row_at(rows, rows->offsets[query] + i);
        slot *found;
        documents[i] = at_row(rows, row);
        documents[i].score = rows->value[row];
        found = find(s, documents + i);
        if (found->document)
            return rm_stop(RM_DUPLICATE_DOCUMENT, query, row, 0.0);
        found->document = (int32_t)(i + 1);
        if (i % RM_STOP_EVERY == 0 && rm_stopped())
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return RM_OK;
}

/* Gives the first n documents their grades; those not retrieved are put behind them. */
static rm_code put_judged(const rm_trec_rows *rows, join_scratch *s, int64_t query, int64_t n, double *missed)
{
    document *documents = s->documents.data;
    int64_t n_retrieved = n, i;
    for (i = rows->offsets[query]; i < rows->offsets[query + 1]; i++) {
        int64_t row = row_at(rows, i);
        document judged = at_row(rows, row);
        slot *found = find(s, &judged);
        missed[i] = NAN;
        if (!found->document) {
            missed[i] = rows->value[row];
            documents[n++] = judged;
            found->document = (int32_t)n;
        } else if (found->document > n_retrieved || !isnan(documents[found->document - 1].grade)) {
            return rm_stop(RM_DUPLICATE_DOCUMENT, query, row, 1.0);
        } else {
            documents[found->document - 1].grade = rows->value[row];
        }
        if (i % RM_STOP_EVERY == 0 && rm_stopped())
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return RM_OK;
}

/* ---- the order ---- */

static int is_before(const document *a, const document *b)
{
    int64_t shorter = a->length < b->length ? a->length : b->length;
    int order;
    if (a->score != b->score)
        return a->score > b->score;
    order = memcmp(a->name, b->name, (size_t)shorter);
    return order ? order > 0 : a->length > b->length;
}

#define SORT_NAME sort_documents
#define SORT_CONTEXT document
#define BEFORE(c, i, j) is_before((c) + (i), (c) + (j))
#define SWAP(c, i, j)           \
    do {                        \
        document held = (c)[i]; \
        (c)[i] = (c)[j];        \
        (c)[j] = held;          \
    } while (0)
#include "sort.h"

static int is_sorted(const document *documents, int64_t n)
{
    int64_t i;
    for (i = 1; i < n; i++)
        if (!is_before(documents + i - 1, documents + i))
            return 0;
    return 1;
}

static rm_code join_one(void *context, void *scratch, int64_t query)
{
    const joiner *j = context;
    join_scratch *s = scratch;
    int64_t first = j->retrieved->offsets[query], n = j->retrieved->offsets[query + 1] - first, i;
    int64_t most = n + j->judged->offsets[query + 1] - j->judged->offsets[query];
    document *documents;
    rm_code code;
    if (most >= INT32_MAX)
        return rm_stop(RM_TOO_MANY_CANDIDATES, query, -1, (double)most);
    if (!prepare(s, most))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    documents = s->documents.data;
    code = put_retrieved(j->retrieved, s, query, n);
    if (code == RM_OK)
        code = put_judged(j->judged, s, query, n, j->out->missed);
    if (code != RM_OK)
        return code;
    if (!is_sorted(documents, n))
        sort_documents(documents, 0, n);
    for (i = 0; i < n; i++)
        j->out->retrieved[first + i] = documents[i].grade;
    return RM_OK;
}

rm_status rm_trec_join(const rm_trec_rows *retrieved, const rm_trec_rows *judged, int64_t n_queries,
                       const rm_run *run, const rm_trec_grades *out)
{
    joiner j = {retrieved, judged, out};
    rm_loop loop = {.body = join_one,
                    .context = &j,
                    .scratch_size = sizeof(join_scratch),
                    .release = release_scratch,
                    .n_users = n_queries,
                    .work = 8 * (retrieved->offsets[n_queries] + judged->offsets[n_queries])};
    return rm_for_users(&loop, run);
}
