"""`exclude=` of a table that is read in batches: what it may be, and what is wrong with it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rankmill as rm

TABLE = pa.table(
    {
        "user": [7, 7, 8, 8, 9],
        "item": [1, 2, 1, 3, 1],
        "score": [0.9, 0.5, 0.1, 0.2, 0.3],
        "label": [0, 1, 1, 0, 1],
    }
)
WORDS = TABLE.set_column(1, "item", pa.array(["a", "b", "a", "c", "a"]))


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [0, 2, 1, 4, 3]])
def test_meaning(order: list[int]) -> None:
    """7 loses what stood first, 8 nothing, 9 all; also from what can be read only once."""

    def once() -> Iterator[int]:
        yield from (1, 5)

    exclude: dict[Any, Any] = {7: once(), 9: {1}, 12: [3]}
    found = rm.evaluate_table(
        TABLE.take(order), "mrr recall", item="item", exclude=exclude, memory_limit="1GB"
    )
    assert found.users is not None
    assert found.users.tolist() == [7, 8, 9]
    assert found["mrr"].tolist() == [1.0, 0.5, 0.0]
    np.testing.assert_array_equal(found["recall"], [1.0, 1.0, np.nan])


@pytest.mark.parametrize("limit", [{"memory_limit": "1GB"}, {"per_user": False}])
@pytest.mark.parametrize(
    ("table", "exclude", "message"),
    [
        (TABLE, [[1], [], []], "exclude: got list with memory_limit= .* wanted a dict"),
        (TABLE, {"7": [1]}, "exclude: none of its 1 users, such as '7', is evaluated"),
        (TABLE, {7: 1}, "exclude: got 1 for user 7; wanted a set of items"),
        (TABLE, {9: ["a"]}, "exclude: got item 'a' for user 9; wanted integers, as the items of"),
        (TABLE, {9: [1.0]}, "exclude: got item 1.0 for user 9; wanted integers, as the items of"),
        (WORDS, {9: ["a", 1]}, "exclude: got item 1 for user 9; wanted text, as the items of"),
    ],
)
def test_what_is_wrong_is_named(
    table: pa.Table, exclude: Any, message: str, limit: dict[str, Any]
) -> None:
    with pytest.raises(rm.RankmillError, match=message):
        rm.evaluate_table(table, "mrr", item="item", exclude=exclude, **limit)


def test_items_are_needed() -> None:
    with pytest.raises(rm.InputError, match="wanted item=, the column of them"):
        rm.evaluate_table(TABLE, "mrr", exclude={7: [1]}, per_user=False)


def test_none_excluded() -> None:
    at_once = rm.evaluate_table(TABLE, "mrr", item="item")
    found = rm.evaluate_table(TABLE, "mrr", item="item", exclude={}, memory_limit="1GB")
    assert found["mrr"].tolist() == at_once["mrr"].tolist()
