"""The metrics written by hand as polars expressions."""

from __future__ import annotations

from typing import Any

from sides import Call, Values


def w1(data: Any, n_threads: int) -> Call:
    """Rank, keep the relevant rows, sum them by user. POLARS_MAX_THREADS holds for the process."""
    import numpy as np
    import polars as pl

    users = np.repeat(np.arange(data.n_users, dtype=np.int32), np.diff(data.offsets))
    frame = pl.DataFrame({"user": users, "score": data.scores, "label": data.labels})
    discount = pl.Series("discount", 1.0 / np.log2(np.arange(10) + 2.0))
    ideal = pl.Series("ideal", np.concatenate([[0.0], np.cumsum(discount.to_numpy())]))
    places = pl.DataFrame({"rank": np.arange(1, 11, dtype=np.uint32), "discount": discount})
    best = pl.DataFrame({"p10": np.arange(11, dtype=np.uint32), "ideal": ideal})
    rank, near = pl.col("rank"), pl.col("rank") <= 10

    def ranked() -> Any:
        place = pl.col("score").rank("ordinal", descending=True).over("user").alias("rank")
        return frame.lazy().with_columns(place).filter(pl.col("label") > 0)

    def call() -> Values:
        hit = (pl.col("rank").rank("ordinal").over("user") / rank).alias("precision")
        sums = (
            ranked()
            .with_columns(hit)
            .join(places.lazy(), on="rank", how="left")
            .group_by("user")
            .agg(
                pl.len().alias("p"),
                near.sum().alias("hits"),
                pl.col("precision").sum().alias("map"),
                rank.min().alias("first"),
                (rank - 1).sum().alias("ranks"),
                pl.col("discount").sum().alias("dcg"),
            )
            .with_columns(pl.min_horizontal("p", pl.lit(10, dtype=pl.UInt32)).alias("p10"))
            .join(best.lazy(), on="p10", how="left")
            .collect()
        )
        return _means(sums, data.n_users, 100)

    return call


def _means(sums: Any, n_users: int, width: int) -> Values:
    """Means from the sums of each user who has a relevant row; the others miss them."""
    p, hits = sums["p"].cast(float), sums["hits"].cast(float)
    above = sums["ranks"].cast(float) - p * (p - 1) / 2
    return {
        "ndcg@10": (sums["dcg"] / sums["ideal"]).mean(),
        "recall@10": (hits / p).mean(),
        "precision@10": hits.sum() / 10 / n_users,
        "hit@10": (hits > 0).sum() / n_users,
        "mrr": (1.0 / sums["first"]).sum() / n_users,
        "map": (sums["map"] / p).mean(),
        "auc": (1.0 - above / (p * (width - p))).mean(),
    }
