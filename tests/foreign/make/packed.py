"""Packed and binary files, written by Python's own library, NumPy and mido."""

import bz2
import lzma
import pickle
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import mido
import numpy as np

HERE = Path(__file__).parent.parent
RUN = (HERE / "trec" / "bm25.run").read_bytes()


def main() -> None:
    """Write all of them."""
    folder = HERE / "packed"
    folder.mkdir(exist_ok=True)
    stamp = zipfile.ZipInfo("bm25.run", (2026, 3, 1, 9, 0, 0))
    with zipfile.ZipFile(folder / "runs.zip", "w") as archive:
        archive.writestr(stamp, RUN)
    with tarfile.open(folder / "runs.tar", "w") as archive:
        archive.add(HERE / "trec" / "bm25.run", "bm25.run", filter=_nobody)
    (folder / "bm25.run.bz2").write_bytes(bz2.compress(RUN))
    (folder / "bm25.run.xz").write_bytes(lzma.compress(RUN))
    (folder / "scores.pkl").write_bytes(pickle.dumps({"q1": {"d1": 2.5, "d2": 1.25}}))
    np.save(folder / "scores.npy", np.array([[0.5, 0.25], [1.0, 0.75]]))
    np.savez(folder / "scores.npz", predictions=np.eye(3), gold=np.arange(3))
    _database(folder / "scores.sqlite")
    _tune(folder / "tune.mid")


def _nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member without an owner and with a fixed time."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 1772352000
    return member


def _database(path: Path) -> None:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as base:
        base.execute("create table scores (query text, item text, score real)")
        base.executemany("insert into scores values (?, ?, ?)", [("q1", "d1", 2.5)])
    base.close()


def _tune(path: Path) -> None:
    track = mido.MidiTrack()
    for note in (60, 62, 64):
        track.append(mido.Message("note_on", note=note, velocity=64, time=0))
        track.append(mido.Message("note_off", note=note, velocity=64, time=480))
    mido.MidiFile(tracks=[track]).save(path)


if __name__ == "__main__":
    main()
