"""Network drives: found among what is mounted, and refused."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from consilience.store import drives
from tests.store.refused import refused

MOUNTS = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 27 0:40 / /home rw,relatime shared:20 - nfs4 server:/home rw,vers=4.2
41 40 0:41 / /home/local\040disk rw,relatime - xfs /dev/vdb rw
42 27 0:42 / /mnt/c rw,noatime - 9p drvfs rw,dirsync
43 27 0:43 / /far rw,nosuid - fuse.sshfs me@host: rw
44 27 0:44 / /data rw - nfs nas:/data rw
45 44 0:45 / /data rw - ext4 /dev/vdc rw
46 27 0:46 / /shared rw - virtiofs host rw
47 27 0:47 / /over rw - overlay overlay rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/a.db", None),
        ("/home/ann/a.db", "nfs4"),
        ("/homework/a.db", None),
        ("/home/local disk/a.db", None),
        ("/mnt/c/Users/ann/a.db", "9p"),
        ("/far/a.db", "fuse.sshfs"),
        ("/data/a.db", None),  # mounted over
        ("/shared/a.db", None),
        ("/over/a.db", None),
    ],
)
def test_network_drives_are_found(path: str, kind: str | None) -> None:
    assert drives.network_mount(PurePosixPath(path), MOUNTS) == kind


def test_machine_that_lies_on_9p_as_a_whole_is_no_network() -> None:
    mounts = "1 0 0:1 / / rw - 9p none rw\n"
    assert drives.network_mount(PurePosixPath("/work/a.db"), mounts) is None


def test_network_drive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 0:1 / / rw - ext4 d rw\n2 1 0:2 / {tmp_path} rw - cifs //nas/x rw\n")
    monkeypatch.setattr(drives, "_MOUNTS", mounts)
    message = refused(tmp_path / "a.db")
    assert "network drive (cifs)" in message
    assert "PostgreSQL" in message
    assert not (tmp_path / "a.db").exists()
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)
    assert "network drive" in refused(link / "a.db")
