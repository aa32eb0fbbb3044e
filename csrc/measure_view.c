/* One user's entries under each rule for ties. */
#include "measure.h"

/* As they are stored: entries that share `ahead` share a block; those that are no candidates come last. */
void rm_average_view(rm_user *user, const rm_entries *entries)
{
    rm_view *view = &user->views[RM_TIES_AVERAGE];
    int64_t n = user->n, i;
    int any_tied = 0;
    while (n > 0 && entries->ahead[n - 1] == RM_UNRANKED)
        n--;
    for (i = 0; i < n; i++)
        any_tied |= entries->tied[i] != 1;
    view->n = n;
    view->place = entries->ahead;
    view->tied = any_tied ? entries->tied : NULL;
    view->grade = entries->grade;
}

static void use_own(rm_view *view, int64_t n)
{
    view->n = n;
    view->place = view->own_place;
    view->tied = NULL;
    view->grade = view->own_grade;
}

/* Best: the entries of a block take its first places in order of grade; worst: its last, in reverse. */
static void settled_view(rm_view *view, const rm_view *from, rm_ties ties)
{
    rm_block block;
    int64_t i;
    FOR_BLOCKS (block, from, INT64_MAX, from->tied != NULL) {
        int worst = ties == RM_TIES_WORST;
        int64_t start = worst ? block.start + block.size - block.count : block.start;
        for (i = 0; i < block.count; i++) {
            int64_t entry = worst ? block.count - 1 - i : i;
            view->own_place[block.first + i] = (int32_t)(start + i);
            view->own_grade[block.first + i] = from->grade[block.first + entry];
        }
    }
    use_own(view, from->n);
}

static inline void swap_entries(rm_view *view, int64_t i, int64_t j)
{
    double grade = view->own_grade[i];
    int32_t place = view->own_place[i];
    view->own_grade[i] = view->own_grade[j];
    view->own_place[i] = view->own_place[j];
    view->own_grade[j] = grade;
    view->own_place[j] = place;
}

#define SORT_NAME sort_by_place
#define SORT_CONTEXT rm_view
#define BEFORE(c, i, j) ((c)->own_place[i] < (c)->own_place[j])
#define SWAP(c, i, j) swap_entries(c, i, j)
#include "sort.h"

static void position_view(rm_view *view, const rm_entries *entries, int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++) {
        view->own_place[i] = entries->position[i];
        view->own_grade[i] = entries->grade[i];
    }
    sort_by_place(view, 0, n);
    use_own(view, n);
}

void rm_settle_views(rm_user *user, const rm_entries *entries, const int *used)
{
    const rm_view *average = &user->views[RM_TIES_AVERAGE];
    int t;
    for (t = 0; t < RM_N_TIES; t++) {
        rm_view *view = &user->views[t];
        if (t == RM_TIES_AVERAGE || !used[t])
            continue;
        view->n = average->n;
        view->place = average->place;
        view->tied = NULL;
        view->grade = average->grade;
        if (!average->tied)
            continue;
        if (t == RM_TIES_POSITION)
            position_view(view, entries, average->n);
        else
            settled_view(view, average, (rm_ties)t);
    }
}
