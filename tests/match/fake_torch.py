"""What is used of torch, made of numpy, so that code for graphics processors runs without one.

It follows torch where the two differ: views by shape, ``max`` of a dimension, in-place thresholds.
``precision`` tells how products of 32 bits were asked for.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np


class Tensor(np.ndarray):
    """An array with torch's methods."""

    def to(self, device: str) -> Tensor:
        assert device == "cuda"
        return self.copy()

    def t(self) -> Any:
        return self.T

    def double(self) -> Any:
        return self.astype(np.float64)

    def float(self) -> Any:
        return self.astype(np.float32)

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return np.array(self)

    def sqrt(self) -> Any:
        return np.sqrt(self)

    def view(self, *shape: Any) -> Any:  # type: ignore[override]
        return self.reshape(shape) if isinstance(shape[0], int) else super().view(*shape)

    def max(self, *, dim: int) -> Any:  # type: ignore[override]
        here = np.argmax(self, axis=dim)
        return np.take_along_axis(self, np.expand_dims(here, dim), dim).squeeze(dim), here

    def any(self, *, dim: int | None = None) -> Any:  # type: ignore[override]
        return np.asarray(self).any(axis=dim)

    def sum(self, *, dim: int) -> Any:  # type: ignore[override]
        return _tensor(np.asarray(self).sum(axis=dim))


def _tensor(array: Any) -> Tensor:
    return np.asarray(array).view(Tensor)


def make(*, available: bool = True) -> types.ModuleType:
    """Make a module that can be put in place of torch."""
    torch: Any = types.ModuleType("torch")
    torch.float32, torch.float64 = np.float32, np.float64
    torch.int32, torch.int64, torch.inf = np.int32, np.int64, np.inf
    torch.cuda = types.SimpleNamespace(is_available=lambda: available)
    torch.precision, torch.asked = "highest", []
    torch.get_float32_matmul_precision = lambda: torch.precision

    def asked(precision: str) -> None:
        torch.precision = precision
        torch.asked.append(precision)

    def mm(a: Tensor, b: Tensor, *, out: Tensor) -> Tensor:
        np.matmul(np.asarray(a), np.asarray(b), out=np.asarray(out))
        return out

    def threshold_(found: Tensor, least: float, instead: float) -> Tensor:
        found[np.asarray(found) <= least] = instead
        return found

    torch.set_float32_matmul_precision = asked
    torch.mm, torch.threshold_ = mm, threshold_
    torch.mv = lambda a, b: _tensor(np.asarray(a) @ np.asarray(b))
    torch.from_numpy = lambda array: _tensor(np.array(array))
    torch.zeros_like = lambda array: _tensor(np.zeros_like(np.asarray(array)))
    torch.full = lambda shape, value, *, dtype, device: _tensor(np.full(shape, value, dtype))
    torch.empty = lambda shape, *, dtype, device: _tensor(np.empty(shape, dtype))
    torch.cat = lambda parts, *, dim: _tensor(np.concatenate(parts, axis=dim))
    torch.where = lambda when, a, b: _tensor(np.where(when, a, b))
    module: types.ModuleType = torch
    return module
