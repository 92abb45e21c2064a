"""What users are told of an export, in their words."""

from __future__ import annotations

from io_tomb_raider.scene.core.report import Report


def test_the_summary_speaks_of_things_and_not_of_the_files_sections() -> None:
    report = Report()
    assert report.summary() == "nothing was changed"
    for section, count in (("rooms", 1), ("entities", 1), ("floor_data", 24), ("mesh_pointers", 58)):
        report.count(section, count)
    report.count("Cutscene 3, frames", 12)
    assert report.summary() == (
        "changed 1 room, 1 entity, 24 words of what sectors do, 58 numbers of meshes, 12 frames of Cutscene 3"
    )


def test_nothing_counted_is_nothing_changed() -> None:
    report = Report()
    report.count("rooms", 0)
    assert report.summary() == "nothing was changed"
