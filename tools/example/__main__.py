"""Rebuild the example level: `python -m tools.example`."""

from __future__ import annotations

from pathlib import Path

from .build import write_example

TARGET = Path(__file__).resolve().parents[2] / "io_tomb_raider" / "example" / "ruin.tr4.xz"

if __name__ == "__main__":
    print(f"{TARGET}: {write_example(TARGET)} bytes")
