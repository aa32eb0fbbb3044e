/* One user's entries under each rule for ties. */
#include "measure.h"

/* Entries that share `ahead` tie; those that are no candidates come last. */
static rm_view stored_view(const rm_user *user, const rm_entries *entries)
{
    rm_view view = {.n = user->n, .place = entries->ahead, .tied = entries->tied, .grade = entries->grade};
    int any_tied = 0;
    int64_t i;
    while (view.n > 0 && entries->ahead[view.n - 1] == RM_UNRANKED)
        view.n--;
    for (i = 0; i < view.n; i++)
        any_tied |= entries->tied[i] != 1;
    view.walk = any_tied ? RM_WALK_TIES : RM_WALK_PLACES;
    return view;
}

void rm_make_views(rm_user *user, const rm_entries *entries, const int *used)
{
    rm_view *average = &user->views[RM_TIES_AVERAGE];
    int t;
    *average = stored_view(user, entries);
    for (t = 0; t < RM_N_TIES; t++) {
        rm_view *view = &user->views[t];
        if (t == RM_TIES_AVERAGE || !used[t])
            continue;
        *view = *average;
        view->ties = (rm_ties)t;
        view->position = entries->position;
        if (view->walk == RM_WALK_TIES)
            view->walk = RM_WALK_SETTLED;
    }
}

typedef struct {
    const int32_t *position;
    int32_t *order;
} by_position;

#define SORT_NAME sort_positions
#define SORT_CONTEXT by_position
#define BEFORE(c, i, j) ((c)->position[(c)->order[i]] < (c)->position[(c)->order[j]])
#define SWAP(c, i, j) rm_swap_entries((c)->order, i, j)
#include "sort.h"

void rm_sort_by_position(rm_view *view, int32_t *order)
{
    by_position context = {view->position, order};
    int64_t i;
    for (i = 0; i < view->n; i++)
        order[i] = (int32_t)i;
    sort_positions(&context, 0, view->n);
    view->by_position = order;
}
