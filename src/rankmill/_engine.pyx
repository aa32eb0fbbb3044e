"""The C engine for Python: arrays in, the GIL released, a status turned into an exception. No logic."""

cimport cython
from cpython.buffer cimport PyBUF_STRIDED_RO, PyBuffer_Release, PyObject_GetBuffer
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from rankmill._capi cimport *

from rankmill.errors import OutOfMemoryError, UnavailableError


cdef extern from "Python.h":
    # Declared without an exception: the C loop only asks, check() propagates.
    int PyErr_CheckSignals() noexcept


N_STATUS = RM_STATUS_END
N_LIMBS = RM_LIMBS
TREC_PIECE = RM_TREC_PIECE


# ---- what the C side is given --------------------------------------------------------------------

cdef int interrupted() noexcept with gil:
    return PyErr_CheckSignals()


cdef int propagate() except -1:
    return -1  # the pending exception is the one to raise


cdef int check(rm_status status, explain) except -1:
    """Raise what `explain(code, row, column, value)` makes of a status that is not OK."""
    if status.code == RM_OK:
        return 0
    if status.code == RM_INTERRUPTED:
        return propagate()
    raise explain(status.code, status.row, status.column, status.value)


@cython.final
cdef class Run:
    """How to run a call: threads and instruction set."""

    cdef rm_run c

    def __init__(self, int n_threads, isa):
        cdef bytes name = b"" if isa is None else str(isa).encode(errors="replace")
        cdef const char *wanted = NULL
        if isa is not None:
            wanted = name
        self.c.n_threads = n_threads
        self.c.interrupted = interrupted
        self.c.kernels = rm_find_kernels(wanted)
        if self.c.kernels == NULL:
            built, usable = isa_names()
            raise UnavailableError(
                f"isa: got {isa!r}; this build has {', '.join(built)}, "
                f"of which this CPU runs {', '.join(usable)}"
            )

    @property
    def isa(self):
        """The instruction set in use."""
        return rm_kernels_name(self.c.kernels).decode()


@cython.final
cdef class Array:
    """A numpy array of one or two dimensions and any layout, held for the engine."""

    cdef Py_buffer buffer
    cdef bint held
    cdef rm_array c

    def __init__(self, array, int type, bint swapped):
        PyObject_GetBuffer(array, &self.buffer, PyBUF_STRIDED_RO)
        self.held = True
        self.c.data = <const char *>self.buffer.buf
        self.c.row_stride = self.buffer.strides[0] if self.buffer.ndim == 2 else 0
        self.c.stride = self.buffer.strides[self.buffer.ndim - 1]
        self.c.type = type
        self.c.swapped = swapped

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.buffer)


@cython.final
cdef class Sparse:
    """Rows of items, and their values or None."""

    cdef rm_sparse c
    cdef object keep

    def __init__(self, const int64_t[::1] starts, Array items not None, Array values):
        self.keep = (starts, items, values)
        self.c.starts = &starts[0]
        self.c.items = items.c
        if values is not None:
            self.c.values = values.c


@cython.final
cdef class Input:
    """The users to rank: see rm_input."""

    cdef rm_input c
    cdef object keep

    def __init__(self, int64_t n_users, int64_t n_items, Array scores not None, *,
                 const int64_t[::1] offsets=None, Array labels=None, Sparse relevant=None,
                 Sparse exclude=None, int order=0, Array keys=None, min_score=None):
        self.keep = (scores, offsets, labels, relevant, exclude, keys)
        self.c.n_users = n_users
        self.c.n_items = n_items
        self.c.scores = scores.c
        self.c.order = order
        if offsets is not None:
            self.c.offsets = &offsets[0]
        if labels is not None:
            self.c.labels = labels.c
        if relevant is not None:
            self.c.relevant = relevant.c
        if exclude is not None:
            self.c.exclude = exclude.c
        if keys is not None:
            self.c.keys = keys.c
        if min_score is not None:
            self.c.has_min_score = 1
            self.c.min_score_float, self.c.min_score_int = min_score


@cython.final
cdef class Entries:
    """The arrays of a Ranks: see rm_entries."""

    cdef rm_entries c
    cdef object keep
    cdef int64_t n_users

    def __init__(self, const int64_t[::1] offsets, int32_t[::1] ahead, int32_t[::1] tied,
                 int32_t[::1] position, double[::1] grade, int64_t[::1] candidates):
        cdef bint any_entry = ahead.shape[0] > 0
        self.keep = (offsets, ahead, tied, position, grade, candidates)
        self.n_users = candidates.shape[0]
        self.c.offsets = &offsets[0]
        self.c.ahead = &ahead[0] if any_entry else NULL
        self.c.tied = &tied[0] if any_entry else NULL
        self.c.position = &position[0] if any_entry and position is not None else NULL
        self.c.grade = &grade[0] if any_entry else NULL
        self.c.candidates = &candidates[0]


# ---- calls ---------------------------------------------------------------------------------------

def isa_names():
    """Instruction sets as (built, usable), best first."""
    built, usable = [], []
    cdef int i = 0
    while rm_isa_name(i) != NULL:
        name = rm_isa_name(i).decode()
        built.append(name)
        if rm_isa_usable(i):
            usable.append(name)
        i += 1
    return built, usable


def version():
    """The version of the package, which takes importlib.metadata longer to find than numpy to load."""
    return rm_version().decode()


def compiler():
    """The C compiler that built the engine."""
    return rm_compiler().decode()


def has_openmp():
    """Whether this build spreads users over threads."""
    return bool(rm_has_openmp())


def check_offsets(const int64_t[::1] offsets, int64_t n_rows, explain):
    """Offsets start at 0, do not decrease, and end at n_rows."""
    check(rm_check_offsets(&offsets[0], offsets.shape[0] - 1, n_rows), explain)


def count_relevant(Input input not None, Run run not None, int64_t[::1] counts, explain):
    """Relevant items per user."""
    cdef rm_status status
    with nogil:
        status = rm_count_relevant(&input.c, &run.c, &counts[0])
    check(status, explain)


def rank(Input input not None, Run run not None, Entries out not None, explain):
    """Fill `out`, whose offsets hold what count_relevant found."""
    cdef rm_status status
    with nogil:
        status = rm_rank(&input.c, &run.c, &out.c)
    check(status, explain)


def count_relevant_lists(Input input not None, int64_t n_ids, Run run not None,
                         int64_t[::1] counts, explain):
    """Relevant items per user of ranked lists."""
    cdef rm_status status
    with nogil:
        status = rm_count_relevant_lists(&input.c, n_ids, &run.c, &counts[0])
    check(status, explain)


def rank_lists(Input input not None, int64_t n_ids, Run run not None, Entries out not None,
               explain):
    """Fill `out` from ranked lists."""
    cdef rm_status status
    with nogil:
        status = rm_rank_lists(&input.c, n_ids, &run.c, &out.c)
    check(status, explain)


def top_k(Input input not None, int64_t k, Run run not None, int64_t[:, ::1] ids, explain):
    """Fill ids (users, k)."""
    cdef rm_status status
    with nogil:
        status = rm_top_k(&input.c, k, &run.c, &ids[0, 0])
    check(status, explain)


@cython.final
cdef class Tile:
    """Rows of scores of the items from first_item on, one row per user of a block."""

    cdef rm_score_tile c
    cdef Array keep

    def __init__(self, Array scores not None, int64_t width, int64_t first_item, int64_t n_items):
        self.keep = scores
        self.c = rm_score_tile(scores.c.data, width, first_item, n_items)


@cython.final
cdef class Block:
    """Some users of an input whose scores come by tile: see rm_user_block."""

    cdef rm_user_block c
    cdef object keep

    def __init__(self, Input input not None, int64_t first_user, int64_t n_users,
                 Array scores not None, int32_t[::1] items, Entries out not None):
        self.keep = (input, scores, items, out)
        self.c.input = &input.c
        self.c.first_user = first_user
        self.c.n_users = n_users
        self.c.scores = <void *>scores.c.data
        self.c.items = &items[0] if items.shape[0] else NULL
        self.c.out = out.c

    def find(self, Run run not None, explain):
        """Fill in the items and grades of the entries."""
        cdef rm_status status
        with nogil:
            status = rm_block_find(&self.c, &run.c)
        check(status, explain)

    def pick(self, Tile tile not None, Run run not None, explain):
        """Fill in the scores of the entries whose items the tile has."""
        cdef rm_status status
        with nogil:
            status = rm_block_pick(&self.c, &tile.c, &run.c)
        check(status, explain)

    def start(self, Run run not None, explain):
        """Sort the entries by score and begin to count."""
        cdef rm_status status
        with nogil:
            status = rm_block_start(&self.c, &run.c)
        check(status, explain)

    def count(self, Tile tile not None, Run run not None, explain):
        """Count a tile; False if an entry's score is another one there."""
        cdef rm_status status
        with nogil:
            status = rm_block_count(&self.c, &tile.c, &run.c)
        if status.code == RM_CHANGED:
            return False
        check(status, explain)
        return True

    def finish(self, Run run not None, explain):
        """Turn the counts into ranks."""
        cdef rm_status status
        with nogil:
            status = rm_block_finish(&self.c, &run.c)
        check(status, explain)


def top_k_tile(Input input not None, int64_t first_user, Tile tile not None, Run run not None,
               Array scores not None, int64_t[:, ::1] ids, int64_t[::1] n_best, explain):
    """Offer a tile to the k best so far of each user of a block."""
    cdef rm_status status
    with nogil:
        status = rm_block_top_k(&input.c, first_user, n_best.shape[0], &tile.c, ids.shape[1],
                                &run.c, <void *>scores.c.data, &ids[0, 0], &n_best[0])
    check(status, explain)


def weighted_area(Input input not None, Array weights not None, int32_t kind, Run run not None,
                  double[::1] values, explain):
    """ROC-AUC or PR-AUC per user with a weight per row."""
    cdef rm_status status
    with nogil:
        status = rm_weighted_area(&input.c, &weights.c, <rm_metric_kind>kind, &run.c, &values[0])
    check(status, explain)


@cython.final
cdef class Plan:
    """Metrics ready for the engine: one tuple per metric, in the order of rm_metric's fields."""

    cdef rm_plan c
    cdef rm_metric *metrics
    cdef rm_gain *gains
    cdef int32_t *discounts
    cdef object keep

    def __init__(self, metrics, gains, discounts):
        cdef const double[::1] grades, values
        self.metrics = <rm_metric *>PyMem_Calloc(len(metrics), sizeof(rm_metric))
        self.gains = <rm_gain *>PyMem_Calloc(len(gains), sizeof(rm_gain))
        self.discounts = <int32_t *>PyMem_Calloc(len(discounts), sizeof(int32_t))
        if self.metrics == NULL or self.gains == NULL or self.discounts == NULL:
            raise OutOfMemoryError(f"no memory for a plan of {len(metrics)} metrics")
        self.keep = gains
        self.c.n_metrics = <int32_t>len(metrics)
        self.c.n_gains = <int32_t>len(gains)
        self.c.n_discounts = <int32_t>len(discounts)
        self.c.metrics = self.metrics
        self.c.gains = self.gains
        self.c.discounts = self.discounts
        for i, row in enumerate(metrics):
            kind, ties, gain, discount, ideal, precision, *rest = row
            denominator, needs, nearest, k, least, parameter = rest
            self.metrics[i] = rm_metric(kind, ties, gain, discount, ideal, precision, denominator,
                                        needs, nearest, k, least, parameter)
        for i, (kind, table, least) in enumerate(gains):
            self.gains[i].kind = kind
            self.gains[i].min_grade = least
            if table is not None:
                grades, values = table
                self.gains[i].n = grades.shape[0]
                self.gains[i].grades = &grades[0] if grades.shape[0] else NULL
                self.gains[i].gains = &values[0] if grades.shape[0] else NULL
        for i, kind in enumerate(discounts):
            self.discounts[i] = kind

    def __dealloc__(self):
        PyMem_Free(self.metrics)
        PyMem_Free(self.gains)
        PyMem_Free(self.discounts)


def measure(Entries ranks not None, Plan plan not None, Run run not None, double[:, ::1] values,
            int64_t[::1] undefined, explain):
    """Fill values (metrics, users) and undefined (metrics,)."""
    cdef rm_status status
    with nogil:
        status = rm_measure(&ranks.c, ranks.n_users, &plan.c, &run.c, &values[0, 0], &undefined[0])
    check(status, explain)


def evaluate(Input input not None, Plan plan not None, Run run not None, double[:, ::1] values,
             int64_t[::1] undefined, explain):
    """Rank and measure at once; fill values and undefined as `measure` does."""
    cdef rm_status status
    with nogil:
        status = rm_evaluate(&input.c, &plan.c, &run.c, &values[0, 0], &undefined[0])
    check(status, explain)


# ---- grouping ------------------------------------------------------------------------------------

@cython.final
cdef class Groups:
    """Distinct ids in order of first appearance."""

    cdef rm_groups *c
    cdef const unsigned char[:, :] ids

    def __cinit__(self):
        self.c = rm_groups_new()
        if self.c == NULL:
            raise OutOfMemoryError("no memory to group rows")

    def __dealloc__(self):
        rm_groups_free(self.c)

    def read(self, const unsigned char[:, :] ids, bint together, Run run not None, explain):
        """Read rows of ids' bytes; False if the rows of one are to be together and are not."""
        cdef rm_status status
        self.ids = ids
        with nogil:
            status = rm_groups_read(self.c, <const char *>&ids[0, 0], ids.shape[1], ids.strides[0],
                                    ids.shape[0], together, &run.c)
        if status.code == RM_NOT_GROUPED:
            return False
        check(status, explain)
        return True

    def first_rows(self, int64_t[::1] out):
        """Copy the first row of each group; out has len(self) places."""
        rm_groups_first(self.c, &out[0])

    def order(self, Run run not None, int64_t[::1] offsets, int64_t[::1] rows, explain):
        """Fill in all rows, those of a group together, and where each group's start."""
        cdef rm_status status
        with nogil:
            status = rm_groups_order(self.c, rows.shape[0], &run.c, &offsets[0], &rows[0])
        check(status, explain)

    def forget(self):
        """Keep the first rows only."""
        rm_groups_forget(self.c)

    def __len__(self):
        return rm_groups_count(self.c)


@cython.final
cdef class Mixed:
    """Flat rows whose users are mixed: see rm_mixed."""

    cdef rm_mixed c
    cdef object keep

    def __init__(self, Input input not None, int64_t n_rows, Groups groups not None,
                 Array codes):
        self.keep = (input, groups, codes)
        self.c.input = &input.c
        self.c.n_rows = n_rows
        self.c.groups = groups.c
        if codes is not None:
            self.c.codes = codes.c

    def count(self, Run run not None, int64_t[::1] candidates, int64_t[::1] counts, explain):
        """Fill in the candidates and the relevant rows of each user."""
        cdef rm_status status
        with nogil:
            status = rm_mixed_count(&self.c, &run.c, &candidates[0], &counts[0])
        check(status, explain)

    def rank(self, Run run not None, Entries out not None, explain):
        """Fill the entries; the candidates were counted before."""
        cdef rm_status status
        with nogil:
            status = rm_mixed_rank(&self.c, &run.c, &out.c)
        check(status, explain)


def match_rows(const int64_t[::1] offsets, Array codes not None, const int64_t[::1] starts,
               const int64_t[::1] items, Run run not None, int64_t[::1] counts,
               const int64_t[::1] out_starts, int64_t[::1] places, explain):
    """Count (places None) or fill the places of rows whose code is among the user's items."""
    cdef rm_status status
    cdef int64_t *count = &counts[0] if counts is not None else NULL
    cdef const int64_t *out_start = &out_starts[0] if out_starts is not None else NULL
    cdef int64_t *place = &places[0] if places is not None and places.shape[0] else NULL
    cdef const int64_t *item = &items[0] if items.shape[0] else NULL
    with nogil:
        status = rm_match_rows(offsets.shape[0] - 1, &offsets[0], &codes.c, &starts[0], item, &run.c,
                               count, out_start, place)
    check(status, explain)


# ---- TREC files ----------------------------------------------------------------------------------

@cython.final
cdef class TrecText:
    """The bytes of a TREC file: see rm_trec_text."""

    cdef rm_trec_text c
    cdef bytes text

    def __init__(self, bytes text not None, int width, int value):
        self.text = text  # behind which Python keeps a 0
        self.c.bytes = text
        self.c.n_bytes = len(text)
        self.c.width = width
        self.c.value = value

    def count(self, Run run not None, int64_t[::1] counts, explain):
        """Fill in the lines that start in each piece."""
        cdef rm_status status
        with nogil:
            status = rm_trec_count(&self.c, &run.c, &counts[0])
        check(status, explain)

    def read(self, const int64_t[::1] first, Run run not None, uint8_t[::1] is_new,
             int64_t[::1] document, int64_t[::1] length, double[::1] value, explain):
        """Fill in the words of each line; `first` holds the lines before each piece."""
        cdef rm_status status
        cdef rm_trec_lines out = rm_trec_lines(&is_new[0], &document[0], &length[0], &value[0])
        with nogil:
            status = rm_trec_read(&self.c, &first[0], &run.c, &out)
        check(status, explain)


@cython.final
cdef class TrecRows:
    """The lines of a TREC file by query: see rm_trec_rows."""

    cdef rm_trec_rows c
    cdef object keep

    def __init__(self, TrecText text not None, const int64_t[::1] document,
                 const int64_t[::1] length, const double[::1] value,
                 const int64_t[::1] offsets, const int64_t[::1] rows):
        self.keep = (text, document, length, value, offsets, rows)
        self.c = rm_trec_rows(text.c.bytes, &document[0], &length[0], &value[0], &offsets[0], NULL)
        if rows is not None:
            self.c.rows = &rows[0]


def join_trec(TrecRows run not None, TrecRows qrels not None, int64_t n_queries, Run how not None,
              double[::1] retrieved, double[::1] missed, explain):
    """Fill in the grades of the documents of the run, best first, and of those only in qrels."""
    cdef rm_status status
    cdef rm_trec_grades out = rm_trec_grades(&retrieved[0], &missed[0])
    with nogil:
        status = rm_trec_join(&run.c, &qrels.c, n_queries, &how.c, &out)
    check(status, explain)


def exact_add(const double[::1] values, const double[::1] weights, int64_t[::1] limbs,
              int64_t[::1] count):
    """Add the values that are not NaN, times their weights if any, without rounding the sum."""
    cdef const double *weight = NULL
    if not values.shape[0]:
        return
    if weights is not None:
        weight = &weights[0]
    with nogil:
        rm_exact_add(&values[0], weight, values.shape[0], &limbs[0], &count[0])


def exact_moments(const double[:, ::1] values, int64_t[:, ::1] sums, int64_t[:, ::1] squares,
                  int64_t[::1] counts):
    """Add the values of each row that are not NaN, and their squares, without rounding."""
    if not values.shape[0] or not values.shape[1]:
        return
    with nogil:
        rm_exact_moments(&values[0, 0], values.shape[0], values.shape[1], &sums[0, 0],
                         &squares[0, 0], &counts[0])


# ---- resampling ----------------------------------------------------------------------------------

def resample(const int64_t[:, :, ::1] values, bint coins, uint64_t seed, int64_t first,
             Run run not None, int64_t[:, :, ::1] sums, explain):
    """Sum (groups, users, 4) by coin flips or bootstrap; sums has a row per resample."""
    cdef rm_sample sample
    cdef rm_status status
    sample.n_groups = values.shape[0]
    sample.n_users = values.shape[1]
    sample.values = &values[0, 0, 0]
    sample.seed = seed
    sample.first = first
    sample.n_resamples = sums.shape[0]
    with nogil:
        if coins:
            status = rm_coin_flips(&sample, &run.c, &sums[0, 0, 0])
        else:
            status = rm_bootstrap(&sample, &run.c, &sums[0, 0, 0])
    check(status, explain)
