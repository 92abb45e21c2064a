"""Damaged and malicious files end in an error with problem and place: no crash, hang or memory exhaustion."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Level, read_level
from tests.real_levels import REAL_LEVELS
from tests.sample_levels import SAMPLES, sample_bytes

from .decoders import DECODERS
from .mutations import Mutation, Specimen, mutations

pytestmark = pytest.mark.fuzz

PER_LEVEL = 2000
# Large levels have many more borders and counts of the same kinds, and take longer: use only some.
PER_REAL_LEVEL = 600
SOURCES: dict[str, Any] = {
    name: (lambda of=of: sample_bytes(of[0], of[1], **of[2])) for name, of in SAMPLES.items()
}
SOURCES |= {path.name: path.read_bytes for path in REAL_LEVELS}
each_source = pytest.mark.parametrize("name", SOURCES)


def check_error(error: FormatError, description: str) -> None:
    """Assert that an error describes the problem."""
    assert error.section, description
    assert error.expected and error.found, description
    assert error.section in str(error) and error.expected in str(error) and error.found in str(error)


def flat(value: Any) -> list[bytes]:
    """Return the content of a level's attribute as bytes, including rooms."""
    if isinstance(value, np.ndarray):
        return [repr(value.shape).encode(), value.tobytes()]
    if isinstance(value, list):
        return [piece for room in value for name in sorted(vars(room)) for piece in flat(getattr(room, name))]
    return [repr(value).encode()]


class Baseline:
    """The content of an intact level, so that only changed parts of a damaged one are decoded."""

    def __init__(self, level: Level) -> None:
        self._inputs = {name for decoder in DECODERS for name in decoder.inputs}
        self._values = {name: flat(getattr(level, name, None)) for name in self._inputs}

    def differing(self, level: Level) -> set[str]:
        return {name for name in self._inputs if flat(getattr(level, name, None)) != self._values[name]}


def read_and_decode(content: bytes, baseline: Baseline, description: str) -> str:
    """Read a damaged file and decode the parts that may be affected. Return the outcome."""
    try:
        level = read_level(content)
    except FormatError as error:
        check_error(error, description)
        assert error.offset is not None and error.offset >= 0, description
        return "refused"
    outcome = "read"
    differing = baseline.differing(level) if level.rooms else set()
    for decoder in DECODERS:
        if differing.intersection(decoder.inputs):
            try:
                decoder.decode(level)
            except FormatError as error:
                check_error(error, description)
                outcome = "not decoded"
    level.to_bytes()
    return outcome


def attempt(mutation: Mutation, specimen: Specimen, baseline: Baseline) -> str:
    try:
        return read_and_decode(mutation.apply(specimen), baseline, mutation.description)
    except FormatError:
        raise
    except Exception as error:
        raise AssertionError(f"{mutation.description}: {error!r}") from error


@each_source
def test_damage_ends_in_a_clear_error_or_in_a_level(name: str) -> None:
    specimen = Specimen(SOURCES[name]())
    for decoder in DECODERS:
        if specimen.level.rooms:
            decoder.decode(specimen.level)
    baseline = Baseline(specimen.level)
    damage = list(mutations(specimen, 1, PER_LEVEL))
    assert len(damage) >= PER_LEVEL
    if name not in SAMPLES:
        damage = damage[:: len(damage) // PER_REAL_LEVEL]
    outcomes = [attempt(mutation, specimen, baseline) for mutation in damage]
    # Both kinds of damage occurred: visible in the file, and visible only in its content.
    assert outcomes.count("refused") > len(damage) // 10
    assert outcomes.count("read") + outcomes.count("not decoded") > len(damage) // 10


@each_source
def test_reading_a_damaged_level_uses_bounded_memory(name: str) -> None:
    specimen = Specimen(SOURCES[name]())
    baseline = Baseline(specimen.level)
    some = list(mutations(specimen, 2, PER_LEVEL))[::50]
    contents = [(mutation, mutation.apply(specimen)) for mutation in some]
    tracemalloc.start()
    try:
        for mutation, content in contents:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            read_and_decode(content, baseline, mutation.description)
            peak = tracemalloc.get_traced_memory()[1] - before
            assert peak < 16e6 + 8 * len(content), mutation.description
    finally:
        tracemalloc.stop()
