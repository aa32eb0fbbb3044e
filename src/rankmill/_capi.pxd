# Every C declaration of the package; see csrc/rankmill.h for the contracts.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from "rankmill.h" nogil:
    ctypedef struct rm_status:
        int32_t code
        int64_t row
        int64_t column
        double value

    int RM_OK
    int RM_INTERRUPTED
    int RM_CHANGED
    int RM_NOT_GROUPED
    int RM_STATUS_END
    int RM_LIMBS
    int RM_TREC_PIECE

    ctypedef struct rm_array:
        const char *data
        int64_t row_stride
        int64_t stride
        int32_t type
        int32_t swapped

    ctypedef struct rm_sparse:
        const int64_t *starts
        rm_array items
        rm_array values

    ctypedef struct rm_kernels:
        pass

    ctypedef int (*rm_interrupted)() noexcept

    ctypedef struct rm_run:
        int n_threads
        const rm_kernels *kernels
        rm_interrupted interrupted

    const char *rm_isa_name(int i)
    bint rm_isa_usable(int i)
    const rm_kernels *rm_find_kernels(const char *name)
    const char *rm_kernels_name(const rm_kernels *kernels)
    const char *rm_version()
    const char *rm_compiler()
    bint rm_has_openmp()

    ctypedef struct rm_input:
        int64_t n_users
        int64_t n_items
        const int64_t *offsets
        rm_array scores
        rm_array labels
        rm_sparse relevant
        rm_sparse exclude
        int32_t order
        rm_array keys
        int32_t has_min_score
        double min_score_float
        int64_t min_score_int

    ctypedef struct rm_entries:
        const int64_t *offsets
        int32_t *ahead
        int32_t *tied
        int32_t *position
        double *grade
        int64_t *candidates

    rm_status rm_check_offsets(const int64_t *offsets, int64_t n_users, int64_t n_rows)
    rm_status rm_count_relevant(const rm_input *input, const rm_run *run, int64_t *counts)
    rm_status rm_rank(const rm_input *input, const rm_run *run, const rm_entries *out)
    rm_status rm_count_relevant_lists(const rm_input *input, int64_t n_ids, const rm_run *run,
                                      int64_t *counts)
    rm_status rm_rank_lists(const rm_input *input, int64_t n_ids, const rm_run *run,
                            const rm_entries *out)
    ctypedef struct rm_user_block:
        const rm_input *input
        int64_t first_user
        int64_t n_users
        void *scores
        int32_t *items
        rm_entries out

    ctypedef struct rm_score_tile:
        const void *scores
        int64_t width
        int64_t first_item
        int64_t n_items

    rm_status rm_block_find(const rm_user_block *block, const rm_run *run)
    rm_status rm_block_pick(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run)
    rm_status rm_block_start(const rm_user_block *block, const rm_run *run)
    rm_status rm_block_count(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run)
    rm_status rm_block_finish(const rm_user_block *block, const rm_run *run)
    rm_status rm_block_top_k(const rm_input *input, int64_t first_user, int64_t n_users,
                             const rm_score_tile *tile, int64_t k, const rm_run *run,
                             void *best_scores, int64_t *best_ids, int64_t *n_best)
    rm_status rm_top_k(const rm_input *input, int64_t k, const rm_run *run, int64_t *ids)

    ctypedef struct rm_gain:
        int32_t kind
        int64_t n
        const double *grades
        const double *gains
        double min_grade

    ctypedef struct rm_metric:
        int32_t kind
        int32_t ties
        int32_t gain
        int32_t discount
        int32_t ideal
        int32_t capped_precision
        int32_t denominator
        int32_t needs_relevant
        int32_t nearest_level
        int64_t k
        double min_grade
        double parameter

    ctypedef struct rm_plan:
        int32_t n_metrics
        int32_t n_gains
        int32_t n_discounts
        const rm_metric *metrics
        const rm_gain *gains
        const int32_t *discounts

    rm_status rm_measure(const rm_entries *ranks, int64_t n_users, const rm_plan *plan,
                         const rm_run *run, double *values, int64_t *undefined)
    rm_status rm_evaluate(const rm_input *input, const rm_plan *plan, const rm_run *run,
                          double *values, int64_t *undefined)
    ctypedef enum rm_metric_kind:
        pass

    rm_status rm_weighted_area(const rm_input *input, const rm_array *weights, rm_metric_kind kind,
                               const rm_run *run, double *values)

    ctypedef struct rm_groups:
        pass

    rm_groups *rm_groups_new()
    void rm_groups_free(rm_groups *groups)
    int64_t rm_groups_count(const rm_groups *groups)
    void rm_groups_first(const rm_groups *groups, int64_t *rows)
    rm_status rm_groups_read(rm_groups *groups, const char *ids, int64_t width, int64_t stride,
                             int64_t n, int together, const rm_run *run)
    rm_status rm_groups_order(const rm_groups *groups, int64_t n, const rm_run *run,
                              int64_t *offsets, int64_t *rows)
    void rm_groups_forget(rm_groups *groups)

    ctypedef struct rm_mixed:
        const rm_input *input
        int64_t n_rows
        const rm_groups *groups
        rm_array codes

    rm_status rm_mixed_count(const rm_mixed *mixed, const rm_run *run, int64_t *candidates,
                             int64_t *counts)
    rm_status rm_mixed_rank(const rm_mixed *mixed, const rm_run *run, const rm_entries *out)
    rm_status rm_match_rows(int64_t n_users, const int64_t *offsets, const rm_array *codes,
                            const int64_t *starts, const int64_t *items, const rm_run *run,
                            int64_t *counts, const int64_t *out_starts, int64_t *places)
    ctypedef struct rm_trec_text:
        const char *bytes
        int64_t n_bytes
        int32_t width
        int32_t value

    ctypedef struct rm_trec_lines:
        uint8_t *is_new
        int64_t *document
        int64_t *length
        double *value

    ctypedef struct rm_trec_rows:
        const char *text
        const int64_t *document
        const int64_t *length
        const double *value
        const int64_t *offsets
        const int64_t *rows

    ctypedef struct rm_trec_grades:
        double *retrieved
        double *missed

    rm_status rm_trec_count(const rm_trec_text *text, const rm_run *run, int64_t *counts)
    rm_status rm_trec_read(const rm_trec_text *text, const int64_t *first, const rm_run *run,
                           const rm_trec_lines *out)
    rm_status rm_trec_join(const rm_trec_rows *retrieved, const rm_trec_rows *judged,
                           int64_t n_queries, const rm_run *run, const rm_trec_grades *out)
    void rm_exact_add(const double *values, const double *weights, int64_t n, int64_t *limbs,
                      int64_t *count)
    void rm_exact_moments(const double *values, int64_t n_rows, int64_t n, int64_t *sums,
                          int64_t *squares, int64_t *counts)

    ctypedef struct rm_sample:
        int64_t n_users
        int32_t n_groups
        const int64_t *values
        uint64_t seed
        int64_t first
        int64_t n_resamples

    rm_status rm_bootstrap(const rm_sample *sample, const rm_run *run, int64_t *sums)
    rm_status rm_coin_flips(const rm_sample *sample, const rm_run *run, int64_t *sums)
