"""Archives that come from anywhere: what they hold is believed when it has been seen.

A member has a name that is known, comes once, is as long as the manifest says and has the hash that
stands there. How much is unpacked is counted while it is read: neither what the .zip announces nor
what the manifest does is trusted for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeGuard

from consilience.errors import UsageError, quote
from consilience.store import schema as s
from consilience.store.archive_form import (
    FORMAT,
    MANIFEST,
    TABLES,
    VERSION,
    Member,
    is_member,
    picture_of,
    table_member,
)
from consilience.store.migrate import HEAD, VERSIONS

#: Bytes that are read at a time.
PIECE = 4 << 20
#: What to do about an archive that is not as it should be.
FIX = "use the file as it was packed, or pack the project again"

#: What reading a damaged .zip raises.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError, KeyError),
)
_HASH = re.compile(r"[0-9a-f]{64}")
_LINK, _KIND = 0o120000, 0o170000
#: The end of a .zip: how long it can be, its signature; the same of the larger form.
_END, _END_SIGN = 22 + 65_535, b"PK\5\6"
_LARGE_END, _LARGE_SIGN = 20, b"PK\6\7"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may hold: bytes in all, and as a multiple of its size on the disk.

    The multiple counts beyond the first ``free`` bytes. ``line`` is the longest line of a table,
    ``listed`` the most bytes of the list of members.
    """

    total: int = 64 << 30
    ratio: int = 250
    free: int = 64 << 20
    line: int = 64 << 20
    listed: int = 64 << 20


def refused(name: str, found: str, fix: str = FIX) -> UsageError:
    """Say what is wrong with an archive."""
    return UsageError(f"{name}: {found} (fix: {fix})")


@contextmanager
def opened(path: str | os.PathLike[str], limits: Limits, *, name: str = "") -> Iterator[Archive]:
    """Open an archive; its list of members is checked, what they hold is not yet.

    Parameters
    ----------
    path, limits
        The file, and how much it may hold.
    name
        What messages call it, where that is not its path.

    Raises
    ------
    UsageError
        Where it is no archive, or not one that this program can read.
    """
    name = name or str(path)
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(path).open("rb"))
        except OSError as error:
            raise refused(name, f"cannot be opened: {error.strerror}", "check the name") from None
        with _told(name):
            _check_size(name, stream, limits)
            archive = stack.enter_context(zipfile.ZipFile(stream))
        yield _checked(name, archive, os.fstat(stream.fileno()).st_size, limits)


def project_in(path: str | os.PathLike[str]) -> Mapping[str, Any] | None:
    """Return the row of the project that an archive holds; None where the file is no archive.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.archive import pack
    >>> from consilience.store.connect import open_database
    >>> from consilience.store.projects import make_project
    >>> folder = tempfile.mkdtemp()
    >>> db = open_database(folder + "/benchmark.db")
    >>> _ = pack(db, make_project(db, "Photos"), folder + "/photos.zip")
    >>> project_in(folder + "/photos.zip")["name"], project_in(folder + "/benchmark.db")
    ('Photos', None)
    >>> db.close()
    """
    try:
        with opened(path, Limits()) as archive:
            _, rows = next(archive.blocks(table_member(s.project)), (1, []))
    except UsageError:
        return None
    return rows[0] if rows else None


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Say in plain words that a .zip is damaged."""
    try:
        yield
    except zipfile.LargeZipFile:
        raise refused(name, "this .zip is too large to be read") from None
    except _DAMAGED as error:
        reason = str(error).splitlines()
        told = f": {reason[0]}" if reason and isinstance(error, zipfile.BadZipFile) else ""
        raise refused(name, f"this is no .zip that can be read{told}") from None


def _check_size(name: str, stream: BinaryIO, limits: Limits) -> None:
    """See that the list of members is not too long to be held in memory, before it is read."""
    size = stream.seek(0, os.SEEK_END)
    begin = stream.seek(max(0, size - _END - _LARGE_END))
    tail = stream.read()
    at = tail.rfind(_END_SIGN)
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile("its end is missing")
    listed = struct.unpack_from("<L", tail, at + 12)[0]
    if at >= _LARGE_END and tail[at - _LARGE_END :].startswith(_LARGE_SIGN):
        where = struct.unpack_from("<Q", tail, at - _LARGE_END + 8)[0]
        stream.seek(min(where, begin + at))
        listed = struct.unpack_from("<Q", stream.read(56).ljust(56, b"\0"), 40)[0]
    if listed > limits.listed:
        raise refused(name, f"its list of members has {listed:,} bytes", "split the project")
    stream.seek(0)


def _checked(name: str, archive: zipfile.ZipFile, size: int, limits: Limits) -> Archive:
    """See that the members are those that the manifest names."""
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        _check_info(name, info)
        if info.filename in infos:
            raise refused(name, f"{quote(info.filename)} is in it twice")
        infos[info.filename] = info
    if MANIFEST not in infos:
        raise refused(name, f"it holds no {MANIFEST}", "name an archive that pack has written")
    made = Archive(name, archive, infos, size, limits)
    manifest = made.document(MANIFEST, most=limits.listed)
    members = _members(name, manifest)
    for one in (*(table_member(table) for table in TABLES), *members):
        if one not in members or one not in infos:
            raise refused(name, f"{one} is missing")
    for one in infos:
        if one not in members and one != MANIFEST:
            raise refused(name, f"{quote(one)} is in it, and the manifest does not name it")
    made.members.update(members)
    return made


def _check_info(name: str, info: zipfile.ZipInfo) -> None:
    called = info.orig_filename
    if called != info.filename or not (called == MANIFEST or is_member(called)):
        raise refused(name, f"{quote(called)} is no part of an archive")
    if (info.external_attr >> 16) & _KIND == _LINK:
        raise refused(name, f"{quote(called)} is a link")
    if info.flag_bits & 1:
        raise refused(name, "it is encrypted", "unlock it first")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refused(name, f"{quote(called)} is packed in a way that is not known here")


def _members(name: str, manifest: Any) -> dict[str, Member]:
    """Read the manifest."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        fix = "name an archive that pack has written"
        raise refused(name, f"its {MANIFEST} is not that of an archive", fix)
    version, revision = manifest.get("version"), manifest.get("schema")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise refused(name, f"its version is {quote(version)}")
    known = re.compile(r"\d{1,8}").fullmatch(revision) if isinstance(revision, str) else None
    if known is None:
        raise refused(name, f"the revision of its tables is {quote(revision)}")
    if version > VERSION or not any(VERSIONS.glob(f"{revision}_*.py")):
        found = (
            f"it was written by a later Consilience: version {version} with tables {revision}; "
            f"this program reads version {VERSION} with tables up to {HEAD}"
        )
        raise refused(name, found, "install a later version")
    listed = manifest.get("members")
    if not isinstance(listed, list):
        raise refused(name, f"its {MANIFEST} lists no members")
    members: dict[str, Member] = {}
    for one in listed:
        member = _member(one)
        if member is None or member.name in members:
            raise refused(name, f"its {MANIFEST} has a wrong entry: {quote(one)}")
        members[member.name] = member
    return members


def _member(told: Any) -> Member | None:
    """Take an entry of the manifest; None where it is none."""
    if not isinstance(told, dict):
        return None
    name, size, sha256 = told.get("name"), told.get("bytes"), told.get("sha256")
    if not isinstance(name, str) or not isinstance(sha256, str) or not is_member(name):
        return None
    rows, picture = told.get("rows"), picture_of(name)
    if not _HASH.fullmatch(sha256) or not _is_count(size):
        return None
    if picture is not None:
        return Member(name, size, sha256) if sha256 == picture and rows is None else None
    return Member(name, size, sha256, rows) if _is_count(rows) else None


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62


@dataclass(slots=True)
class Archive:
    """An open archive; ``unpacked`` counts the bytes that have been read from its members."""

    name: str
    zip: zipfile.ZipFile
    infos: Mapping[str, zipfile.ZipInfo]
    size: int
    limits: Limits
    members: dict[str, Member] = field(default_factory=dict)
    unpacked: int = 0

    def pictures(self) -> dict[str, Member]:
        """Give the pictures by their hash."""
        found = ((picture_of(name), member) for name, member in self.members.items())
        return {sha256: member for sha256, member in found if sha256 is not None}

    def document(self, name: str, *, most: int) -> Any:
        """Read a member that is one document of JSON."""
        pieces, size = [], 0
        for piece in self._pieces(name):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise refused(self.name, f"{name} is too long")
        return self.parsed(b"".join(pieces), name)

    def parsed(self, text: bytes, where: str) -> Any:
        """Read JSON."""
        try:
            return json.loads(text.decode(), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", None) or str(error) or type(error).__name__
            raise refused(self.name, f"{where} is no JSON: {str(reason)[:100]}") from None

    def pieces(self, name: str) -> Iterator[bytes]:
        """Read a member; in the end it must have the size and the hash that were announced."""
        member, digest, size = self.members[name], hashlib.sha256(), 0
        for piece in self._pieces(name):
            digest.update(piece)
            size += len(piece)
            if size > member.bytes:
                break
            yield piece
        if size != member.bytes:
            found = "longer" if size > member.bytes else "shorter"
            raise refused(self.name, f"{name} is {found} than the {member.bytes:,} bytes announced")
        if digest.hexdigest() != member.sha256:
            raise refused(self.name, f"{name} has changed since it was packed: its hash is another")

    def blocks(self, name: str) -> Iterator[tuple[int, list[Any]]]:
        """Read the rows of a table, some at a time, each block with the number of its first row."""
        rest, first, member = b"", 1, self.members[name]
        for piece in self.pieces(name):
            whole, sign, rest = (rest + piece).rpartition(b"\n")
            if len(rest) > self.limits.line:
                raise refused(self.name, f"{name} has a line that is too long")
            if sign:
                rows = self._rows(whole, name, first)
                yield first, rows
                first += len(rows)
        if rest:
            raise refused(self.name, f"{name} ends within a line")
        if first - 1 != member.rows:
            found = f"{name} has {first - 1:,} rows, and the manifest announces {member.rows:,}"
            raise refused(self.name, found)

    def _rows(self, text: bytes, name: str, first: int) -> list[Any]:
        count = text.count(b"\n") + 1
        rows = self.parsed(b"[%b]" % text.replace(b"\n", b","), f"{name}, from line {first} on,")
        if len(rows) != count or {*map(type, rows)} != {dict}:
            raise refused(self.name, f"{name}, from line {first} on, is no list of rows")
        return list(rows)

    def _pieces(self, name: str) -> Iterator[bytes]:
        """Unpack a member, as far as the limits go."""
        with _told(self.name):
            stream = self.zip.open(self.infos[name])
        with stream:
            while True:
                with _told(self.name):
                    piece = stream.read(PIECE)
                if not piece:
                    return
                self.unpacked += len(piece)
                self._check_unpacked()
                yield piece

    def _check_unpacked(self) -> None:
        limits = self.limits
        if self.unpacked > limits.total:
            found = f"it unpacks into more than {limits.total:,} bytes, the most that is allowed"
            raise refused(self.name, found, "raise the limit, if you trust it")
        if self.unpacked > limits.free + limits.ratio * self.size:
            found = f"it unpacks into more than {limits.ratio} times its size"
            raise refused(self.name, found, "do not trust it: it is made to fill a disk")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
