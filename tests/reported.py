"""Results with hostile names, for the tests of reports."""

import numpy as np

import rankmill as rm

HOSTILE = ("<script>document.title='lost'</script>", '" onmouseover="alert(1)', "]]>&amp;", "שלום")


def compared() -> rm.Comparison:
    rng = np.random.default_rng(23)
    labels = rng.random((120, 15)) < 0.25
    noise = rng.normal(size=(120, 15))
    results = {}
    for name, worth in ((HOSTILE[0], 0.4), ("new & better", 1.0)):
        result = rm.evaluate(noise + worth * labels, labels, "ndcg@5 recall@5 mrr")
        result.segments = {HOSTILE[1]: np.array(HOSTILE, dtype=object)[np.arange(120) % 4]}
        results[name] = result
    return rm.compare(results, baseline=HOSTILE[0], by=HOSTILE[1], resamples=100)
