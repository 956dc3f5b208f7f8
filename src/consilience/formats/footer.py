"""What stands in the footer of a *votes file*: the facts that its rows alone cannot say.

A votes file (:mod:`consilience.engine.votes_file`) is an ordinary Parquet table of answers, sorted
by query. Its footer holds the order of queries and respondents as they were first read, what
silence means, lists that are empty, and where each query stands. All of it is one text under
one key: JSON and behind it the arrays as they are in memory, packed by zlib and written in base64,
because some readers of Parquet take only text.

A table that was read from such a file, changed and written again may still carry the old footer.
So a second key says how many bytes stand before it: where that is not so, the footer is stale, and
the file is read as any table.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import bad

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The key of Parquet's metadata that the facts stand under.
KEY = b"consilience.votes"
#: The key of how many bytes of the file stand before the footer.
BYTES = b"consilience.votes.bytes"
#: The version of what is written; a file of a later one is not read.
VERSION = 1
_FASTEST = 1
#: Parquet's mark and the length of its footer, behind it.
_END = 8


def pack(facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.int64]]) -> bytes:
    """Write facts and arrays of whole numbers as one text.

    Examples
    --------
    >>> text = pack({"queries": ["q1", "q2"]}, {"votes": np.array([3, 5])})
    >>> facts = unpack({KEY: text}, "votes.parquet")
    >>> facts["queries"], facts["votes"].tolist()
    (['q1', 'q2'], [3, 5])
    """
    lengths = {name: len(array) for name, array in arrays.items()}
    head = json.dumps({"version": VERSION, **facts, "arrays": lengths}, ensure_ascii=False)
    parts = [head.encode(), *(np.asarray(array, "<i8").tobytes() for array in arrays.values())]
    return base64.b64encode(zlib.compress(b"\n".join([parts[0], b"".join(parts[1:])]), _FASTEST))


def held(metadata: Any, size: int) -> Mapping[bytes, bytes] | None:
    """Give a Parquet file's key and text, if it has them and they are its own; else None.

    Parameters
    ----------
    metadata
        The file's metadata (``pyarrow.parquet.FileMetaData``).
    size
        The bytes of the file.
    """
    found: Mapping[bytes, bytes] = metadata.metadata or {}
    before = size - metadata.serialized_size - _END
    if KEY not in found or found.get(BYTES) != str(before).encode():
        return None
    return {KEY: found[KEY]}


def unpack(metadata: Mapping[bytes, bytes] | None, file: str) -> dict[str, Any] | None:
    """Read facts and arrays from what :func:`held` gives; None where there are none.

    Raises
    ------
    InputError
        If they are damaged, or were written by a later version.
    """
    text = (metadata or {}).get(KEY)
    if text is None:
        return None
    try:
        head, _, data = zlib.decompress(base64.b64decode(text)).partition(b"\n")
        facts: dict[str, Any] = json.loads(head)
        version, lengths = facts.pop("version"), facts.pop("arrays")
        numbers = np.frombuffer(data, "<i8").astype(np.int64, copy=False)
    except (ValueError, KeyError, zlib.error):
        raise bad(file, None, "its index of votes is damaged", "convert the inputs anew") from None
    if version > VERSION:
        found = f"its index of votes has version {version}; this program knows {VERSION}"
        raise bad(file, None, found, "use a later version, or convert the inputs anew")
    ends = np.cumsum([*lengths.values()])
    return facts | dict(zip(lengths, np.split(numbers, ends[:-1]), strict=True))
