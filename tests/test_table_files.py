"""Files as the world writes them: odd CSV and Parquet, right numbers or one clear line."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import rankmill as rm

LIMITS = [None, "1GB"]


def csv(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def values(table: Any, limit: str | None, **options: Any) -> dict[Any, float]:
    result = rm.evaluate_table(table, "mrr", memory_limit=limit, **options)
    assert result.users is not None
    return dict(zip(result.users.tolist(), result["mrr"].tolist(), strict=True))


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(
    "data",
    [
        b'user,score,label\n"a, b",2,0\n"a, b",1,1\n',
        b'\xef\xbb\xbfuser,score,label\n"a, b",2,0\n"a, b",1,1\n',
        b'user,score,label\r\n"a, b",2,0\r\n"a, b",1,1\r\n',
        b'user;score;label\n"a, b";2;0\n"a, b";1;1\n',
        b"user\tscore\tlabel\na, b\t2\t0\na, b\t1\t1\n",
        b'label,user,score,more\n0,"a, b",2.0,x\n1,"a, b",1e0,y\n',
    ],
    ids=["quoted", "bom", "crlf", "semicolons", "tabs", "more columns"],
)
def test_ways_to_write_csv(data: bytes, limit: str | None, tmp_path: Path) -> None:
    assert values(csv(tmp_path / "log.csv", data), limit) == {"a, b": 0.5}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"log\.csv: an empty file"),
        (b"user,score,label\n", "got no rows"),
        (b"user,score,label\na,1,1\nb,,1\n", r"score.*no value at row 1.*column 'score'"),
        (b"user,score,label\na,1,1\nb,NaN,1\n", r"scores?.*(NaN|nan) at row 1"),
        (b"user,score,label\na,1,1\nb,high,1\n", r"score.*'score' holds VARCHAR, such as"),
        (b"user,score\na,1\n", "label: no column 'label'; the columns are user, score"),
    ],
    ids=["empty", "header only", "missing", "nan", "text", "no column"],
)
def test_csv_that_is_none(data: bytes, message: str, limit: str | None, tmp_path: Path) -> None:
    with pytest.raises(rm.RankmillError, match=message) as raised:
        values(csv(tmp_path / "log.csv", data), limit)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("limit", LIMITS)
def test_parquet_of_many_kinds(limit: str | None, tmp_path: Path) -> None:
    """Dictionaries, decimals, small integers, row groups that part a user, many chunks."""
    users = pa.array(["a", "a", "b", "b", "b", "a"]).dictionary_encode()
    scores = pa.array([Decimal("2.50"), Decimal("1.25"), *map(Decimal, "3210")])
    labels = pa.array([0, 1, 0, 1, 0, 0], pa.int8())
    table = pa.table({"user": users, "score": scores, "label": labels})
    path = tmp_path / "log.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=2)
    assert values(path, limit) == {"a": 0.5, "b": 0.5}
    renamed = table.rename_columns(["who is it", 'a "score"', "label"])
    pyarrow.parquet.write_table(renamed, path, row_group_size=1)
    assert values(path, limit, user="who is it", score='a "score"') == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize("limit", LIMITS)
def test_parquet_that_is_damaged(limit: str | None, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    rows = {"user": [1, 1], "score": [1.0, 2.0], "label": [1, 0]}
    pyarrow.parquet.write_table(pa.table(rows), path)
    whole = path.read_bytes()
    for length in (0, 3, len(whole) // 2, len(whole) - 4):
        path.write_bytes(whole[:length])
        with pytest.raises(rm.RankmillError, match=r"log\.parquet") as raised:
            values(path, limit)
        assert "\n" not in str(raised.value)
    nested = pa.table(rows | {"score": [{"x": 1.0}, {"x": 2.0}]})
    pyarrow.parquet.write_table(nested, path)
    with pytest.raises(rm.InputTypeError, match=r"score.*'score' holds STRUCT"):
        values(path, limit)
    nulls = pa.table(rows | {"label": pa.array([1, None])})
    pyarrow.parquet.write_table(nulls, path)
    with pytest.raises(rm.InputError, match=r"label.*no value at row 1"):
        values(path, limit)
