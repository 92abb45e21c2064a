"""Pieces of files that are the same in several games, built from the parts that differ."""

from collections.abc import Sequence
from struct import pack

from . import shared
from .meshes import GoldenMesh, mesh_bytes
from .words import Grid, Room, Section, Table, counted, joined

SECTOR_FIELDS = ("HH B b B b", "floor_data box room_below floor room_above ceiling")  # tr_room_sector


def geometry(room: int, vertices: Table, wrong_words: int = 0) -> Room:
    """Return NumDataWords, which may be wrong, then tr_room_data, whose lists have 16-bit counts."""
    lists = [
        counted("H", "vertices", vertices),
        counted("H", "quads", shared.ROOM_QUADS[room]),
        counted("H", "triangles", shared.ROOM_TRIANGLES[room]),
        counted("H", "sprites", shared.ROOM_SPRITES[room]),
    ]
    words = len(joined(lists)) // 2
    stored = wrong_words or words
    return [Section("geometry_words", pack("<I", stored), (stored, words)), *lists]


def no_geometry(code: str, names: str) -> Room:
    """Return NumDataWords of 0, without lists, also of vertices with these fields."""
    return [
        Section("geometry_words", pack("<I", 0), (0, 0)),
        Section("vertices", b"", Table(code, names)),
        Section("quads", b"", Table("4H H", "vertices:4 texture")),
        Section("triangles", b"", Table("3H H", "vertices:3 texture")),
        Section("sprites", b"", Table("HH", "vertex texture")),
    ]


def no_portals() -> Section:
    return counted("H", "portals", Table("H 3h 12h", "room normal:3 vertices:4x3"))


def mesh_data(each: tuple[GoldenMesh, ...], pointers: Sequence[int]) -> list[Section]:
    """Return the meshes: NumMeshData counts words of 16 bits, MeshPointers are in bytes."""
    content = mesh_bytes(each)
    return [
        Section("mesh_data", pack("<I", len(content) // 2) + content, list(content)),
        counted("I", "mesh_pointers", pointers, "I"),
    ]


def movement(animations: Table, frames: Sequence[int], models: Table) -> list[Section]:
    """Return the sections from the animations to the static meshes, in the order of all games."""
    return [
        counted("I", "animations", animations),
        counted("I", "state_changes", shared.STATE_CHANGES),
        counted("I", "animation_dispatches", shared.DISPATCHES),
        counted("I", "animation_commands", shared.COMMANDS, "h"),
        counted("I", "mesh_trees", shared.MESH_TREES, "i"),
        counted("I", "frames", frames, "H"),
        counted("I", "models", models),
        counted("I", "static_meshes", shared.STATIC_MESHES),
    ]


def zones(*kinds: Sequence[int]) -> Section:
    """Return an array per kind of zone with a number per box, for the normal state, then the alternate."""
    content = b"".join(pack(f"<{len(kind)}H", *kind) for kind in kinds)
    return Section("zones", content, Grid((2, len(kinds) // 2, len(kinds[0])), content))


def moved(sections: list[Section], name: str, before: str) -> list[Section]:
    """Return sections with one of them moved in front of another."""
    moving = next(section for section in sections if section.name == name)
    rest = [section for section in sections if section is not moving]
    place = next(place for place, section in enumerate(rest) if section.name == before)
    return [*rest[:place], moving, *rest[place:]]
