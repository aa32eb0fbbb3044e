/* One user's entries -> blocks of places, under each rule for ties. */
#include "measure.h"

/* Entries that share `ahead` share a block; those that are no candidates have none. */
static void average_view(rm_view *view, const rm_entries *entries, int64_t n)
{
    int64_t i = 0, end;
    view->n_blocks = 0;
    view->grade = entries->grade;
    for (; i < n && entries->ahead[i] != RM_UNRANKED; i = end) {
        for (end = i + 1; end < n && entries->ahead[end] == entries->ahead[i];)
            end++;
        view->blocks[view->n_blocks++] = (rm_block){entries->ahead[i], entries->tied[i], i, end - i};
    }
}

/* Settles each block of `from`: entry i of a block gets place[i]. Blocks come out in order of place. */
static void settled_view(rm_view *view, const rm_view *from, rm_ties ties)
{
    int64_t b, i;
    view->n_blocks = 0;
    view->grade = view->own_grade;
    for (b = 0; b < from->n_blocks; b++) {
        const rm_block *block = &from->blocks[b];
        int64_t start = ties == RM_TIES_WORST ? block->start + block->size - block->count : block->start;
        for (i = 0; i < block->count; i++) {
            int64_t entry = ties == RM_TIES_WORST ? block->count - 1 - i : i;
            int64_t at = view->n_blocks++;
            view->own_grade[at] = from->grade[block->first + entry];
            view->blocks[at] = (rm_block){start + i, 1, at, 1};
        }
    }
}

static inline void swap_entries(rm_view *view, int64_t i, int64_t j)
{
    double grade = view->own_grade[i];
    int64_t start = view->blocks[i].start;
    view->own_grade[i] = view->own_grade[j];
    view->own_grade[j] = grade;
    view->blocks[i].start = view->blocks[j].start;
    view->blocks[j].start = start;
}

#define SORT_NAME sort_by_place
#define SORT_CONTEXT rm_view
#define BEFORE(c, i, j) ((c)->blocks[i].start < (c)->blocks[j].start)
#define SWAP(c, i, j) swap_entries(c, i, j)
#include "sort.h"

static void position_view(rm_view *view, const rm_entries *entries, int64_t n_ranked)
{
    int64_t i;
    view->n_blocks = n_ranked;
    view->grade = view->own_grade;
    for (i = 0; i < n_ranked; i++) {
        view->own_grade[i] = entries->grade[i];
        view->blocks[i] = (rm_block){entries->position[i], 1, i, 1};
    }
    sort_by_place(view, 0, n_ranked);
}

void rm_build_views(rm_user *user, const rm_entries *entries, const int *used)
{
    const rm_view *average = &user->views[RM_TIES_AVERAGE];
    average_view(&user->views[RM_TIES_AVERAGE], entries, user->n);
    user->n_ranked = average->n_blocks ? average->blocks[average->n_blocks - 1].first +
                                             average->blocks[average->n_blocks - 1].count
                                       : 0;
    if (used[RM_TIES_WORST])
        settled_view(&user->views[RM_TIES_WORST], average, RM_TIES_WORST);
    if (used[RM_TIES_BEST])
        settled_view(&user->views[RM_TIES_BEST], average, RM_TIES_BEST);
    if (used[RM_TIES_POSITION])
        position_view(&user->views[RM_TIES_POSITION], entries, user->n_ranked);
}
