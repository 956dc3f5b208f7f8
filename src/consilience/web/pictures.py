"""Pictures as they are sent: known by their hash, of the type that they are, able to do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path
from fastapi.responses import FileResponse

from consilience.store.content import file_of
from consilience.web.access import RefusedError

if TYPE_CHECKING:
    from consilience.store.connect import Database

#: The name of a picture.
Sha256 = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
#: What a picture may do in a browser: be looked at.
POLICY = "default-src 'none'; sandbox"


def sent_picture(db: Database, sha256: str) -> FileResponse:
    """Send a picture that may be seen."""
    file = file_of(db, sha256)
    if not file.path.is_file():
        raise RefusedError("this picture is not on the disk any more (fix: bring it again)", 404)
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "private, max-age=3600"}
    return FileResponse(file.path, media_type=file.media_type, headers=headers)
