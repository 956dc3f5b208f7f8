"""Network drives: SQLite's locks and shared memory do not work on them, so none is used."""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

from consilience.errors import UsageError

#: Kinds of file systems that lie on another machine.
_NETWORK = {
    *("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "coda", "9p"),
    *("ceph", "glusterfs", "lustre", "gfs", "gfs2", "ocfs2", "beegfs", "gpfs", "panfs", "orangefs"),
    *("davfs", "vboxsf", "prl_fs", "fuse.vmhgfs-fuse", "fuse.sshfs", "fuse.rclone", "fuse.s3fs"),
    *("fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph", "fuse.curlftpfs", "fuse.davfs2"),
    *("fuse.mergerfs.nfs", "fuse.juicefs", "fuse.seaweedfs", "fuse.blobfuse2", "fuse.mfs"),
}
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")
#: What Windows calls a drive on another machine.
_REMOTE = 4


def check_drive(path: Path) -> None:
    """See that a SQLite file does not lie on a network drive; Linux and Windows tell.

    Raises
    ------
    UsageError
        Where it does; the message says what to do instead.
    """
    kind = network_share(str(path)) if sys.platform == "win32" else _mounted(path)
    if kind is None:
        return
    raise UsageError(
        f"{path}: this folder lies on a network drive ({kind}), where SQLite can lose answers "
        "(fix: use a folder of this machine, or PostgreSQL: postgresql://user@host/database)"
    )


def _mounted(path: Path) -> str | None:
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:  # no Linux: macOS has no such file, and drives are not recognised there
        return None
    return network_mount(PurePosixPath(path.resolve()), mounts)


def network_mount(path: PurePosixPath, mounts: str) -> str | None:
    r"""Tell the kind of network drive that a path lies on; None where it lies on this machine.

    Parameters
    ----------
    path
        The path, without links.
    mounts
        What ``/proc/self/mountinfo`` says: of several mounts the longest holds the path, of equal
        ones the last.

    Examples
    --------
    >>> mounts = "1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:9 / /home rw - nfs4 far:/home rw"
    >>> network_mount(PurePosixPath("/home/ann/a.db"), mounts)
    'nfs4'
    >>> network_mount(PurePosixPath("/homework/a.db"), mounts)
    """
    best, kind = 0, ""
    for line in mounts.splitlines():
        mount, _, system = line.partition(" - ")
        parts, named = mount.split(" "), system.split(" ")
        if len(parts) < 5:
            continue
        point = PurePosixPath(_OCTAL.sub(lambda code: chr(int(code[1], 8)), parts[4]))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), named[0]
    everything = kind == "9p" and best == 1  # the whole machine lies on it: a virtual machine
    return kind if kind.lower() in _NETWORK and not everything else None


def network_share(path: str) -> str | None:
    r"""Tell whether a path of Windows lies on another machine.

    Examples
    --------
    >>> network_share(r"\\server\share\a.db"), network_share(r"\\?\UNC\server\share\a.db")
    ('a share', 'a share')
    >>> network_share(r"C:\data\a.db"), network_share(r"\\?\C:\data\a.db")
    (None, None)
    """
    drive = PureWindowsPath(path).drive.upper()
    if drive.startswith(("\\\\?\\UNC\\", "\\\\.\\UNC\\")):
        return "a share"
    if drive.startswith("\\\\") and not drive.startswith(("\\\\?\\", "\\\\.\\")):
        return "a share"
    return "a mapped drive" if _is_remote(drive) else None


def _is_remote(drive: str) -> bool:
    if sys.platform != "win32":
        return False
    import ctypes

    return bool(ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") == _REMOTE)
