/* The k best of one row so far, as its tiles come by, for the kernel type T. */

/* Offers one row of a tile to the best so far of its user. */
static rm_code FN(select_tile)(const selector *c, topk_scratch *s, int64_t at)
{
    const rm_score_tile *tile = c->tile;
    int64_t user = c->first_user + at, k = c->k, *n_best = &c->n_best[at], i;
    TYPE *best = (TYPE *)c->best_scores + at * k;
    const TYPE *x = (const TYPE *)tile->scores + at * tile->width;
    FN(reservoir) v;
    rm_cursor exclude;
    rm_code status;
    if (!FN(open_reservoir)(&v, s, k, tile->n_items))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    for (i = 0; i < *n_best; i++) {
        v.score[i] = best[i];
        v.item[i] = (int32_t)c->ids[at * k + i];
    }
    v.n = *n_best;
    v.full_once = v.n == k;
    v.bound = v.n ? best[v.n - 1] : 0;
    status = rm_cursor_seek(&exclude, &c->input->exclude, user, tile->first_item, c->input->n_items);
    if (status == RM_OK)
        status = FN(offer)(c, &v, &exclude, x, tile->n_items, tile->first_item, user);
    if (status != RM_OK)
        return status;
    FN(settle)(&v, k);
    *n_best = v.n;
    memcpy(best, v.score, (size_t)v.n * sizeof *best);
    for (i = 0; i < v.n; i++)
        c->ids[at * k + i] = v.item[i];
    return RM_OK;
}
