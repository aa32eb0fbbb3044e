/* rankmill: the public interface of the C engine.
 *
 * Every function reads the caller's arrays, writes into buffers the caller owns, allocates nothing that
 * outlives the call, knows nothing of Python, and reports through rm_status. Loops over users run on
 * rm_run.n_threads threads; results are the same bits for every thread count and instruction set. */
#ifndef RANKMILL_H
#define RANKMILL_H

#include <stdint.h>

/* ---- status ------------------------------------------------------------------------------------------- */

typedef enum {
    RM_OK = 0,
    RM_NAN_SCORE,           /* row, column */
    RM_BAD_LABEL,           /* row, column, value: NaN or infinite */
    RM_BAD_EXCLUDE,         /* row, column, value: NaN or infinite */
    RM_BAD_WEIGHT,          /* row, column, value: negative, NaN or infinite */
    RM_BAD_GAIN,            /* row, value: the grade whose gain is not finite */
    RM_NO_GAIN,             /* row, value: a grade the gain table lacks */
    RM_SUM_OVERFLOW,        /* row: the gains of one user add up to infinity */
    RM_OFFSETS_START,       /* value: offsets[0] */
    RM_OFFSETS_ORDER,       /* row: offsets[row + 1] < offsets[row] */
    RM_OFFSETS_END,         /* value: offsets[n_users] */
    RM_ITEM_RANGE,          /* row, column: the relevant or recommended item */
    RM_EXCLUDE_RANGE,       /* row, column: the excluded item */
    RM_UNSORTED,            /* row, column: sparse indices that do not increase within the row */
    RM_DUPLICATE_ITEM,      /* row, column: the item */
    RM_PADDING,             /* row, column: a valid id behind the padding, its place in the list */
    RM_TOO_MANY_CANDIDATES, /* row, value: more than INT32_MAX - 1 */
    RM_TOO_MANY_ORDERS,     /* row: ideal="retrieved" with ties="average" would enumerate too many subsets */
    RM_NO_TIE_MEAN,         /* row: a metric that cannot average its ties */
    RM_BAD_GRADE,           /* row, value: a grade above the greatest that err was told of */
    RM_NOT_GROUPED,         /* row: a user's rows are not contiguous */
    RM_TOO_MANY_USERS,      /* more than INT32_MAX - 1 groups */
    RM_CHANGED,             /* row: the arrays changed between two readings */
    RM_BAD_RANKS,           /* row: entries that are negative or out of order */
    RM_BAD_LINE,            /* column: the line; value: how many words it has */
    RM_DUPLICATE_DOCUMENT,  /* column: the line; value: 0 of the run, 1 of the judgements */
    RM_NO_MEMORY,
    RM_INTERRUPTED, /* rm_run.interrupted returned non-zero */
    RM_STATUS_END
} rm_code;

typedef struct {
    int32_t code;   /* an rm_code */
    int64_t row;    /* the user's row, or -1 */
    int64_t column; /* the place in the row, or the item id, or -1 */
    double value;
} rm_status;

/* ---- arrays ------------------------------------------------------------------------------------------- */

typedef enum {
    RM_BOOL,
    RM_I8,
    RM_U8,
    RM_I16,
    RM_U16,
    RM_I32,
    RM_U32,
    RM_I64,
    RM_U64,
    RM_F16,
    RM_F32,
    RM_F64
} rm_type;

/* Any numpy layout: strides in bytes, possibly negative, unaligned or byte-swapped. data NULL: absent. */
typedef struct {
    const char *data;
    int64_t row_stride; /* between users of a dense input; 0 otherwise */
    int64_t stride;     /* between elements of a row */
    int32_t type;       /* an rm_type */
    int32_t swapped;    /* 1: not in native byte order */
} rm_array;

/* Sparse rows: row u has items[starts[u] .. starts[u + 1]), strictly increasing. starts NULL: absent.
 * values.data NULL: every stored item counts as 1. */
typedef struct {
    const int64_t *starts;
    rm_array items;
    rm_array values;
} rm_sparse;

/* ---- running ------------------------------------------------------------------------------------------ */

typedef struct rm_kernels rm_kernels;

typedef struct {
    int n_threads;
    const rm_kernels *kernels; /* from rm_find_kernels */
    int (*interrupted)(void);  /* asked now and then by the calling thread; NULL: never */
} rm_run;

/* Instruction sets, best first. rm_isa_name(i) is NULL past the end. */
const char *rm_isa_name(int i);
int rm_isa_usable(int i);
/* The named set, or the best usable one for NULL; NULL when it is not built or this CPU lacks it. */
const rm_kernels *rm_find_kernels(const char *name);
const char *rm_kernels_name(const rm_kernels *kernels);

const char *rm_version(void);
const char *rm_compiler(void);
int rm_has_openmp(void);

/* ---- ranking ------------------------------------------------------------------------------------------ */

typedef enum { RM_ORDER_NONE, RM_ORDER_INPUT, RM_ORDER_KEYS } rm_order;

/* offsets NULL: dense, n_items candidates per user. Otherwise the rows of user u are
 * offsets[u] .. offsets[u + 1) of the flat arrays. Relevance is either labels (shaped like the scores) or
 * sparse. A label or stored value > 0 is relevant. Excluded items are no candidates and not relevant. */
typedef struct {
    int64_t n_users;
    int64_t n_items;
    const int64_t *offsets;
    rm_array scores;
    rm_array labels;
    rm_sparse relevant;
    rm_sparse exclude;
    int32_t order; /* an rm_order: what `position` means where scores tie */
    rm_array keys; /* RM_ORDER_KEYS only: integers, larger first; one per column (dense) or flat row */
    int32_t has_min_score;  /* drop candidates scoring below */
    double min_score_float; /* the bound, rounded up to the kernel type of the scores */
    int64_t min_score_int;  /* the same for 64-bit integer scores */
} rm_input;

/* Where relevant items landed; one user's entries lie at offsets[u] .. offsets[u + 1), sorted by ahead,
 * then grade descending, then position. An entry that is no candidate has ahead = INT32_MAX, tied = 0. */
typedef struct {
    const int64_t *offsets;
    int32_t *ahead;
    int32_t *tied;
    int32_t *position; /* NULL unless an order was asked for */
    double *grade;
    int64_t *candidates;
} rm_entries;

rm_status rm_check_offsets(const int64_t *offsets, int64_t n_users, int64_t n_rows);
/* counts[u] = relevant items of user u, after exclusion. */
rm_status rm_count_relevant(const rm_input *input, const rm_run *run, int64_t *counts);
rm_status rm_rank(const rm_input *input, const rm_run *run, const rm_entries *out);

/* Already ranked ids: a dense array (offsets NULL: n_items ids per user, negative ids pad the end) or flat
 * with offsets; ids in input->scores, valid ids are 0 .. n_ids - 1. Only relevant and exclude are used
 * besides. */
rm_status rm_count_relevant_lists(const rm_input *input, int64_t n_ids, const rm_run *run, int64_t *counts);
rm_status rm_rank_lists(const rm_input *input, int64_t n_ids, const rm_run *run, const rm_entries *out);

/* ---- ranking by scores that are made a tile at a time -------------------------------------------------- */

/* Users first_user .. first_user + n_users of an input with sparse relevance; scores.type is RM_F32 or
 * RM_F64. scores and items have one place per entry of the block; out is that of all users, its offsets
 * filled in. */
typedef struct {
    const rm_input *input;
    int64_t first_user, n_users;
    void *scores;
    int32_t *items;
    rm_entries out;
} rm_user_block;

/* Rows of `width` scores, one per user of the block; the first n_items are of items from first_item on. */
typedef struct {
    const void *scores;
    int64_t width, first_item, n_items;
} rm_score_tile;

/* In this order: find items and grades; fill in scores, by pick or otherwise; start; count every tile, which
 * gives RM_CHANGED where a relevant item's score is not the one filled in; finish. */
rm_status rm_block_find(const rm_user_block *block, const rm_run *run);
rm_status rm_block_pick(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run);
rm_status rm_block_start(const rm_user_block *block, const rm_run *run);
rm_status rm_block_count(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run);
rm_status rm_block_finish(const rm_user_block *block, const rm_run *run);

/* The k best of each row so far: best_* are rows of k places for the users of the block, of which n_best are
 * taken, best first. input->exclude is by user; input->n_users and n_items are those of the whole. */
rm_status rm_block_top_k(const rm_input *input, int64_t first_user, int64_t n_users,
                         const rm_score_tile *tile, int64_t k, const rm_run *run, void *best_scores,
                         int64_t *best_ids, int64_t *n_best);

/* ids[u * k ..]: the k best columns of row u, by score descending, then column ascending; -1 pads. */
rm_status rm_top_k(const rm_input *input, int64_t k, const rm_run *run, int64_t *ids);

/* ---- measuring ---------------------------------------------------------------------------------------- */

typedef enum {
    RM_CG,
    RM_DCG,
    RM_IDCG,
    RM_NDCG,
    RM_PRECISION,
    RM_RECALL,
    RM_F1,
    RM_HIT,
    RM_MRR,
    RM_AP,
    RM_R_PRECISION,
    RM_AUC,
    RM_PR_AUC,
    RM_MAX_F1,
    RM_RBP,
    RM_ERR,
    RM_IPREC
} rm_metric_kind;

typedef enum { RM_TIES_AVERAGE, RM_TIES_WORST, RM_TIES_BEST, RM_TIES_POSITION, RM_N_TIES } rm_ties;
typedef enum { RM_GAIN_EXP2, RM_GAIN_LINEAR, RM_GAIN_BINARY, RM_GAIN_TABLE } rm_gain_kind;

typedef struct {
    int32_t kind;
    int64_t n; /* RM_GAIN_TABLE: ascending grades and their gains */
    const double *grades;
    const double *gains;
    double min_grade; /* RM_GAIN_BINARY: 1 from this grade on, else 0 */
} rm_gain;

/* Discounts of a rank from 1: 1 / log2(rank + 1), 1 / ln(rank + 1), 1 / max(1, log2(rank)), 1 / rank. */
typedef enum {
    RM_DISCOUNT_LOG2,
    RM_DISCOUNT_LN,
    RM_DISCOUNT_JARVELIN,
    RM_DISCOUNT_RECIPROCAL
} rm_discount_kind;

/* The best order of all relevant items, cut at k or not, or of those retrieved; or k items of the best gain.
 */
typedef enum { RM_IDEAL_ALL, RM_IDEAL_UNCUT, RM_IDEAL_RETRIEVED, RM_IDEAL_FULL } rm_ideal_kind;

/* What recall and average precision are divided by: R, min(k, R), k, or what was hit. */
typedef enum { RM_BY_RELEVANT, RM_BY_CAPPED, RM_BY_PLACES, RM_BY_HITS } rm_denominator;

typedef struct {
    int32_t kind;             /* an rm_metric_kind */
    int32_t ties;             /* an rm_ties */
    int32_t gain;             /* index into the gains of the plan */
    int32_t discount;         /* index into the discounts of the plan */
    int32_t ideal;            /* an rm_ideal_kind */
    int32_t capped_precision; /* 1: divide by min(k, candidates) */
    int32_t denominator;      /* an rm_denominator: recall and f1 (the first two), ap */
    int32_t needs_relevant;   /* 1: undefined for a user without relevant items */
    int32_t nearest_level;    /* iprec: 1: a recall r is reached by the nearest whole number to r R */
    int64_t k;                /* cutoff; INT64_MAX: the whole list */
    double min_grade;         /* binary metrics: relevant from this grade on */
    double parameter;         /* rbp: persistence; err: greatest grade; iprec: recall, or NaN for the eleven
                                 levels; r_precision: multiple of R */
} rm_metric;

typedef struct {
    int32_t n_metrics;
    int32_t n_gains;
    int32_t n_discounts;
    const rm_metric *metrics;
    const rm_gain *gains;
    const int32_t *discounts; /* rm_discount_kinds */
} rm_plan;

/* values[m * n_users + u]; undefined[m] = users for whom metric m is undefined. */
rm_status rm_measure(const rm_entries *ranks, int64_t n_users, const rm_plan *plan, const rm_run *run,
                     double *values, int64_t *undefined);

/* Both at once, without keeping the ranks: the same values. */
rm_status rm_evaluate(const rm_input *input, const rm_plan *plan, const rm_run *run, double *values,
                      int64_t *undefined);

/* RM_AUC or RM_PR_AUC with a weight per row; NaN where undefined. */
rm_status rm_weighted_area(const rm_input *input, const rm_array *weights, rm_metric_kind kind,
                           const rm_run *run, double *values);

/* ---- grouping ----------------------------------------------------------------------------------------- */

/* The distinct ids of rows, in order of first appearance. The ids are the caller's and stay in use. */
typedef struct rm_groups rm_groups;
rm_groups *rm_groups_new(void);
void rm_groups_free(rm_groups *groups);
int64_t rm_groups_count(const rm_groups *groups);
void rm_groups_first(const rm_groups *groups, int64_t *rows); /* the first row of each */

/* Reads ids of `width` bytes, `stride` apart. together: only rows already grouped are taken, so that first[u]
 * is where user u starts; RM_NOT_GROUPED names the first row of an id that came back. */
rm_status rm_groups_read(rm_groups *groups, const char *ids, int64_t width, int64_t stride, int64_t n,
                         int together, const rm_run *run);
/* rows = all rows, those of a user together and in their order; user u's are offsets[u] .. offsets[u + 1). */
rm_status rm_groups_order(const rm_groups *groups, int64_t n, const rm_run *run, int64_t *offsets,
                          int64_t *rows);
/* Keeps the first rows, and can find none any more. */
void rm_groups_forget(rm_groups *groups);

/* Flat rows in any order: scores, labels and keys of the input by row, its exclude by user and of item codes
 * . `groups` has read the ids. Nothing is kept per row. */
typedef struct {
    const rm_input *input; /* n_users, and no offsets */
    int64_t n_rows;
    const rm_groups *groups;
    rm_array codes; /* the item of each row, an integer; absent where nothing is excluded */
} rm_mixed;

rm_status rm_mixed_count(const rm_mixed *mixed, const rm_run *run, int64_t *candidates, int64_t *counts);
/* out->candidates is not written: they were counted before. */
rm_status rm_mixed_rank(const rm_mixed *mixed, const rm_run *run, const rm_entries *out);

/* Places, in each user's flat rows, of the rows whose code is among the user's items (sorted). counts alone
 * first; then places[out_starts[u] ..] for the starts that the counts give. Either may be NULL. */
rm_status rm_match_rows(int64_t n_users, const int64_t *offsets, const rm_array *codes, const int64_t *starts,
                        const int64_t *items, const rm_run *run, int64_t *counts, const int64_t *out_starts,
                        int64_t *places);

/* ---- TREC files --------------------------------------------------------------------------------------- */

/* Lines of `width` words at blanks: a query, one to skip, a document, and at place `value` a number. Blank
 * lines, and those whose first word starts with a #, are passed over. A 0 stands behind the text. */
typedef struct {
    const char *bytes;
    int64_t n_bytes;
    int32_t width, value;
} rm_trec_text;

/* A place per line. value: NaN where the word is no plain decimal number, which the caller must look at. */
typedef struct {
    uint8_t *is_new;            /* 0: the query of the line before */
    int64_t *document, *length; /* where its name lies in the text */
    double *value;
} rm_trec_lines;

/* A text is read in pieces of so many bytes. */
#define RM_TREC_PIECE (1 << 18)
/* counts[p] = lines that start in piece p; first[p] = those that start before it. A status names a bad line
 * by where it starts. */
rm_status rm_trec_count(const rm_trec_text *text, const rm_run *run, int64_t *counts);
rm_status rm_trec_read(const rm_trec_text *text, const int64_t *first, const rm_run *run,
                       const rm_trec_lines *out);

/* The lines of query q are rows[offsets[q]] .. rows[offsets[q + 1]); rows NULL: the lines as they stand. */
typedef struct {
    const char *text;
    const int64_t *document, *length;
    const double *value;
    const int64_t *offsets, *rows;
} rm_trec_rows;

/* The grades of a query's documents, each array with a place per line: of those retrieved, by score, then
 * name, both descending, NaN if not judged; of those judged, NaN if retrieved. */
typedef struct {
    double *retrieved, *missed;
} rm_trec_grades;

rm_status rm_trec_join(const rm_trec_rows *retrieved, const rm_trec_rows *judged, int64_t n_queries,
                       const rm_run *run, const rm_trec_grades *out);

/* ---- exact sums --------------------------------------------------------------------------------------- */

/* A sum of doubles without rounding: limbs[i] weighs 2^(32 i - 1074). Sums of parts add limb by limb. */
#define RM_LIMBS 68
/* Adds every value that is not NaN (times its weight, if any); counts them. Values must be finite. */
void rm_exact_add(const double *values, const double *weights, int64_t n, int64_t *limbs, int64_t *count);
/* Of each row of n values the sum, that of the squares and the number; nothing is rounded. */
void rm_exact_moments(const double *values, int64_t n_rows, int64_t n, int64_t *sums, int64_t *squares,
                      int64_t *counts);

/* ---- resampling --------------------------------------------------------------------------------------- */

#define RM_MOST_GROUPS 3
/* Whole numbers of users, metrics in groups of four: values[(group * n_users + user) * 4 + metric]. n_users
 * times the greatest must stay below 2^62. Resamples first .. first + n_resamples of a seed: any split of
 * them over calls gives the same. */
typedef struct {
    int64_t n_users;
    int32_t n_groups; /* 1 .. RM_MOST_GROUPS */
    const int64_t *values;
    uint64_t seed;
    int64_t first, n_resamples;
} rm_sample;

/* sums[(resample * n_groups + group) * 4 + metric]: over n_users draws with replacement; over users that are
 * in or out by a fair coin. */
rm_status rm_bootstrap(const rm_sample *sample, const rm_run *run, int64_t *sums);
rm_status rm_coin_flips(const rm_sample *sample, const rm_run *run, int64_t *sums);

#endif
