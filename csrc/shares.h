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

/* Of what was found, for precision, recall, f1 and ap. */
static inline double rm_share_of(const rm_metric *metric, int64_t candidates, double relevant, double found)
{
    double findable;
    if (metric->kind == RM_PRECISION) {
        double places = rm_precision_places(metric, candidates);
        return places > 0.0 ? found / places : NAN;
    }
    findable = rm_recall_places(metric, candidates, relevant);
    if (metric->kind == RM_F1)
        return rm_share(2.0 * found, rm_precision_places(metric, candidates) + findable);
    return rm_share(found, findable);
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
