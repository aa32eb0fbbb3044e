/* What is divided by what. */
#ifndef RANKMILL_SHARES_H
#define RANKMILL_SHARES_H

#include <math.h>

#include "rankmill.h"

static inline double rm_ndcg(double dcg, double ideal)
{
    if (isinf(dcg))
        return dcg;
    return dcg < ideal ? dcg / ideal : 1.0; /* more is rounding */
}

/* The denominator of precision: k, or the whole list where there is no k or fewer candidates and a cap. */
static inline double rm_precision_places(const rm_metric *metric, int64_t candidates)
{
    if (metric->k == INT64_MAX || (metric->capped_precision && candidates < metric->k))
        return (double)candidates;
    return (double)metric->k;
}

/* The denominator of recall and average precision. */
static inline double rm_recall_places(const rm_metric *metric, int64_t candidates, double relevant)
{
    double places = metric->k == INT64_MAX ? (double)candidates : (double)metric->k;
    if (metric->denominator == RM_BY_PLACES)
        return places;
    return metric->denominator == RM_BY_CAPPED && places < relevant ? places : relevant;
}

/* Nothing can be hit in no places: 0, although 0 / 0. */
static inline double rm_share(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

/* Metrics that are a share of what could be found: so many times what was, divided by the whole; of a whole
 * that is 0, a value of its own. */
static inline int rm_is_share(const rm_metric *metric)
{
    return metric->kind == RM_AP || (metric->kind >= RM_PRECISION && metric->kind <= RM_F1);
}

static inline double rm_whole_of(const rm_metric *metric, int64_t candidates, double relevant)
{
    switch (metric->kind) {
    case RM_PRECISION:
        return rm_precision_places(metric, candidates);
    case RM_F1:
        return rm_precision_places(metric, candidates) + rm_recall_places(metric, candidates, relevant);
    case RM_PR_AUC:
        return relevant;
    default:
        return rm_recall_places(metric, candidates, relevant);
    }
}

static inline double rm_times_found(const rm_metric *metric) { return metric->kind == RM_F1 ? 2.0 : 1.0; }

static inline double rm_share_of_none(const rm_metric *metric)
{
    return metric->kind == RM_PRECISION ? NAN : 0.0;
}

static inline double rm_share_of(const rm_metric *metric, int64_t candidates, double relevant, double found)
{
    double whole = rm_whole_of(metric, candidates, relevant);
    return whole > 0.0 ? rm_times_found(metric) * found / whole : rm_share_of_none(metric);
}

/* Whether there is no value without relevant items: because it were 0 / 0, or the caller wants it so. */
static inline int rm_needs_relevant(const rm_metric *metric)
{
    switch (metric->kind) {
    case RM_RECALL:
    case RM_F1:
    case RM_AP:
    case RM_PR_AUC:
    case RM_MAX_F1:
        return 1;
    default:
        return metric->needs_relevant;
    }
}

#endif
