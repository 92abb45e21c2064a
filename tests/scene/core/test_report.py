"""The messages of exports, in users' words."""

from __future__ import annotations

from io_tomb_raider.scene.core.reporting.results import Rebuilt


def test_the_summary_speaks_of_objects_and_not_of_the_files_sections() -> None:
    rebuilt = Rebuilt()
    assert rebuilt.summary() == "same as the original"
    for section, count in (("rooms", 1), ("entities", 1), ("floor_data", 24), ("mesh_pointers", 58)):
        rebuilt.count(section, count)
    rebuilt.count("Cutscene 3, frames", 12)
    assert rebuilt.summary() == (
        "changed 1 room, 1 entity, 24 words of floor data, 58 numbers of meshes, 12 frames of Cutscene 3"
    )


def test_a_count_of_0_is_no_change() -> None:
    rebuilt = Rebuilt()
    rebuilt.count("rooms", 0)
    assert rebuilt.summary() == "same as the original"
