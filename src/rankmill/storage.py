"""Arrays in one file that can be mapped: a magic, a checked header of JSON, then the arrays.

Numbers of the layout are little-endian. Nothing in a file is code, and a file that is not whole, or
of another kind or version, is refused before any array is used.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from rankmill.errors import InputError, InputTypeError
from rankmill.writing import replacing

Arrays = Mapping[str, np.ndarray[Any, Any]]

_MAGIC: Final = b"rankmill"
_VERSION: Final = 1
_START: Final = struct.Struct("<8sIIQ")  # magic, version, checksum and length of the header
_ALIGNED: Final = 64


def write_arrays(
    path: str | os.PathLike[str], kind: str, arrays: Arrays, facts: Mapping[str, Any]
) -> None:
    """Write arrays and facts; the file appears when it is whole."""
    places, at = {}, 0
    for name, array in arrays.items():
        at += -at % _ALIGNED
        little = array.dtype.newbyteorder("<")
        places[name] = {"dtype": little.str, "shape": array.shape, "at": at}
        at += array.nbytes
    header = json.dumps({"kind": kind, "facts": facts, "arrays": places, "size": at}).encode()
    with replacing(path) as whole, whole.open("wb") as stream:
        stream.write(_START.pack(_MAGIC, _VERSION, zlib.crc32(header), len(header)) + header)
        stream.write(bytes(-stream.tell() % _ALIGNED))
        for array in arrays.values():
            stream.write(bytes(-stream.tell() % _ALIGNED))
            little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            stream.write(little.reshape(-1).view(np.uint8).data)


def read_arrays(
    path: str | os.PathLike[str], kind: str, *, mmap: bool
) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, Any]]:
    """Return the arrays, mapped or read, and the facts.

    Raises
    ------
    InputError
        If the file is not one of this kind and version, or not whole.
    """
    header, base, size = _header(path, kind)
    if size != base + header["size"]:
        raise InputError(f"{path}: got {size} bytes; wanted {base + header['size']}: it was cut")
    if mmap and header["size"]:
        data: np.ndarray[Any, Any] = np.memmap(path, np.uint8, "c", base)
    else:
        data = np.fromfile(path, np.uint8, offset=base)
    arrays = {}
    for name, place in header["arrays"].items():
        dtype, shape = np.dtype(place["dtype"]), tuple(place["shape"])
        length = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        part = data[place["at"] : place["at"] + length].view(np.ndarray)
        native = part.view(dtype).reshape(shape) if length else np.empty(shape, dtype)
        arrays[name] = native.astype(dtype.newbyteorder("="), copy=False)
    return arrays, header["facts"]


def _header(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], int, int]:
    """Return the header, where the arrays start, and the size of the file."""
    with open(path, "rb") as stream:  # noqa: PTH123
        start = stream.read(_START.size)
        if len(start) < _START.size or not start.startswith(_MAGIC):
            raise InputError(f"{path}: not a file of rankmill; wanted one of {kind}")
        _, version, checksum, length = _START.unpack(start)
        if version != _VERSION:
            raise InputError(
                f"{path}: got version {version}; wanted {_VERSION}, which this release reads"
            )
        size = os.fstat(stream.fileno()).st_size
        text = stream.read(length) if length <= size else b""
    if len(text) != length or zlib.crc32(text) != checksum:
        raise InputError(f"{path}: its header is damaged; wanted a whole file of {kind}")
    header: dict[str, Any] = json.loads(text)
    if header["kind"] != kind:
        raise InputError(f"{path}: got a file of {header['kind']}; wanted one of {kind}")
    base = _START.size + length
    return header, base + -base % _ALIGNED, size


def stored_objects(name: str, ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return ids that are Python objects, integers or text, as bytes of JSON."""
    values = [value.item() if isinstance(value, np.generic) else value for value in ids]
    for row, value in enumerate(values):
        if not isinstance(value, (int, str)):
            raise InputTypeError(
                f"{name}: got {value!r} at user row {row}; wanted integers or text, to be stored"
            )
    return np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)


def loaded_objects(stored: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what `stored_objects` was given.

    Examples
    --------
    >>> loaded_objects(stored_objects("users", np.array(["a", 2**70], dtype=object))).tolist()
    ['a', 1180591620717411303424]
    """
    values = json.loads(stored.tobytes())
    ids = np.empty(len(values), dtype=object)
    ids[:] = values
    return ids
