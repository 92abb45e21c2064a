"""Tests of the form of CHANGELOG.md: Keep a Changelog headings, one line per entry, newest version first."""

from __future__ import annotations

import re

import pytest

import build

# No test in this file needs Blender.
pytestmark = pytest.mark.once

LINES = (build.ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
HEADINGS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
LONGEST = 120


def sections() -> list[tuple[str, str, list[str]]]:
    """Return the version, the heading and the lines of each section, without empty lines."""
    found: list[tuple[str, str, list[str]]] = []
    version = ""
    for line in LINES:
        if line.startswith("## "):
            version = line.removeprefix("## ")
        elif line.startswith("### "):
            found.append((version, line.removeprefix("### "), []))
        elif line and found and found[-1][0] == version:
            found[-1][2].append(line)
    return found


def test_versions_are_in_order_and_unreleased_changes_come_first() -> None:
    first, *released = [line for line in LINES if line.startswith("## ")]
    assert first == "## [Unreleased]"
    parts = [re.fullmatch(r"## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)", line) for line in released]
    assert all(parts) and parts, released
    versions = [tuple(map(int, each.groups()[:3])) for each in parts if each]
    dates = [each[4] for each in parts if each]
    assert versions == sorted(set(versions), reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_each_version_has_the_headings_of_keep_a_changelog_once_and_in_order() -> None:
    by_version: dict[str, list[str]] = {}
    for version, heading, lines in sections():
        by_version.setdefault(version, []).append(heading)
        assert lines, f"{version}: {heading} is empty"
    for version, headings in by_version.items():
        assert headings == [each for each in HEADINGS if each in headings], version


def test_each_entry_is_one_short_line() -> None:
    for version, heading, lines in sections():
        assert [line for line in lines if not line.startswith("- ")] == [], (version, heading)
        assert [line for line in lines if len(line) > LONGEST] == [], (version, heading)
        assert [line for line in lines if not line.endswith(".")] == [], (version, heading)
        assert len(set(lines)) == len(lines), (version, heading)


def test_entries_of_a_release_are_sorted_by_subject() -> None:
    for version, heading, lines in sections():
        if version == "[Unreleased]":
            continue
        subjects = [re.match(r"- ([A-Z][A-Za-z ]+): ", line) for line in lines]
        assert all(subjects), [line for line, found in zip(lines, subjects, strict=True) if not found]
        names = [each[1] for each in subjects if each]
        runs = [name for n, name in enumerate(names) if n == 0 or names[n - 1] != name]
        assert len(runs) == len(set(runs)), (version, heading, runs)
