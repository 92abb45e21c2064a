"""Makes the pages of the five games from the tables of the code: `python -m docs.games`.

A test compares the pages with these tables, so run it after a change of either. It needs NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from io_tomb_raider.catalogue import names
from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.games import SamplePlace, Traits
from io_tomb_raider.formats.base.targets import Limits, Target, limits_of
from io_tomb_raider.formats.levels.floor.functions import TriggerType, last_trigger_type
from io_tomb_raider.formats.levels.level.level import Level

FOLDER = Path(__file__).parent / "games"


class _About(NamedTuple):
    """Facts of a game that no table of the code has: its name, and files next to its levels."""

    title: str
    files: tuple[tuple[str, str], ...]


_SCRIPT = "[Scripts](../side-files.md)"
_ABOUT = {
    Game.TR1: _About(
        "Tomb Raider",
        (
            ("levels, also of Unfinished Business and demos", "`.phd`, `.tub`"),
            ("samples of sounds", "in the level"),
            ("script", "none"),
            ("cutscenes", "levels of their own, with a camera for every frame: [Cameras](../cameras.md)"),
        ),
    ),
    Game.TR2: _About(
        "Tomb Raider II",
        (
            ("levels, also of demos", "`.tr2`"),
            ("samples of sounds", "`MAIN.SFX`; in demos in the level: [Sounds](../sounds.md)"),
            ("script", f"`TOMBPC.DAT`: {_SCRIPT}"),
            ("cutscenes", "levels of their own, with a camera for every frame: [Cameras](../cameras.md)"),
        ),
    ),
    Game.TR3: _About(
        "Tomb Raider III",
        (
            ("levels", "`.tr2`"),
            ("samples of sounds", "`MAIN.SFX`: [Sounds](../sounds.md)"),
            ("music", "`CDAUDIO.WAD`: [Sounds](../sounds.md)"),
            ("script", f"`TOMBPC.DAT`: {_SCRIPT}"),
            ("cutscenes", "levels of their own, with a camera for every frame: [Cameras](../cameras.md)"),
        ),
    ),
    Game.TR4: _About(
        "The Last Revelation",
        (
            ("levels, also of demos and TRNG", "`.tr4`"),
            ("objects of the level editors", "`.wad`, `.wad2`: [Objects of the level editors](../wads.md)"),
            ("samples of sounds", "in the level"),
            ("script and texts", f"`SCRIPT.DAT`, `ENGLISH.DAT` and others: {_SCRIPT}"),
            ("cutscenes", "`CUTSEQ.PAK`: [Cutscenes](../cutscenes.md)"),
            ("logos and screens", "`.pak`: [Pictures](../pictures.md)"),
        ),
    ),
    Game.TR5: _About(
        "Chronicles",
        (
            ("levels", "`.trc`"),
            ("samples of sounds", "in the level"),
            ("script and texts", f"`SCRIPT.DAT`, `ENGLISH.DAT` and others: {_SCRIPT}"),
            ("cutscenes", "`CUTSEQ.BIN`: [Cutscenes](../cutscenes.md)"),
            ("logos and screens", "`.pak`: [Pictures](../pictures.md)"),
        ),
    ),
}

ENGINES = {Target.ORIGINAL: "original game", Target.TRX: "TRX"}

# The rows of limits: words by the fields of Limits.
LIMITS = {
    "rooms": "rooms",
    "vertices": "vertices of a room",
    "lights": "lights of a room",
    "entities": "entities, with those that the game makes while it runs",
    "static_meshes": "ids of static meshes",
    "placements": "static meshes in all rooms",
    "pages": "texture pages",
    "object_textures": "object textures",
    "sprites": "sprites",
    "samples": "samples",
    "boxes": "boxes for pathfinding",
    "flip_maps": "flip maps",
    "flybys": "flyby cameras",
    "flyby_sequences": "flyby sequences",
}

# Parts of pages.
_FACES = "textures.md#change-how-faces-look"
_ANIMATED = "textures.md#make-an-animated-texture"
_PALETTE = "textures.md#change-a-palette-tr1-to-tr3"
_MARKS = "collision.md#marks"

# Features that not all games have, by the page that says more.
FEATURES: dict[str, tuple[Callable[[Traits], object], str]] = {
    "colored light of rooms": (lambda traits: traits.has_color_light or traits.has_room_layers, "lights.md"),
    "lights with a type: suns, and in TR4 and TR5 spots, shadows, fog bulbs": (
        lambda traits: traits.has_light_types,
        "lights.md",
    ),
    "light that flickers, pulses or fades (TR3: fades only)": (
        lambda traits: traits.has_light_mode,
        "rooms.md#room-settings",
    ),
    "effects of vertices of rooms": (lambda traits: traits.has_vertex_attributes, "water.md"),
    "rooms that flip by groups": (lambda traits: traits.has_flip_groups, "portals.md#make-a-room-that-flips"),
    "additive faces": (lambda traits: traits.has_additive_blending, _FACES),
    "double-sided faces of rooms": (
        lambda traits: traits.has_double_sided_faces,
        _FACES,
    ),
    "faces of one color without a texture, on meshes": (
        lambda traits: traits.has_colored_faces,
        _FACES,
    ),
    "shiny faces": (lambda traits: traits.has_effects, _FACES),
    "bumped textures": (lambda traits: traits.has_bump, "materials.md"),
    "textures that scroll": (
        lambda traits: traits.has_scrolling_textures,
        _ANIMATED,
    ),
    "a palette": (lambda traits: traits.has_palette, _PALETTE),
    "floors and ceilings of two triangles": (
        lambda traits: traits.has_triangulated_floors,
        "collision.md#walls-floors-and-slopes",
    ),
    "climbable walls": (lambda traits: traits.has_climbable_walls, _MARKS),
    "monkey swings and other marks of sectors": (
        lambda traits: traits.has_sector_marks,
        _MARKS,
    ),
    "footsteps by sector": (lambda traits: traits.has_materials, _MARKS),
    "secrets by triggers": (lambda traits: traits.has_secret_action, "triggers.md"),
    "negative timers of triggers": (lambda traits: traits.has_negative_timers, "triggers.md"),
    "sideways speeds of animations": (
        lambda traits: traits.has_lateral_speed,
        "animations.md#edit-an-animation",
    ),
    "sounds of animations on land or in water only": (
        lambda traits: traits.has_sound_conditions,
        "animations.md#sounds-and-effects",
    ),
    "range and pitch of sounds": (lambda traits: traits.has_sound_range, "sounds.md"),
    "flyby cameras": (lambda traits: traits.has_flybys, "cameras.md"),
    "AI objects": (lambda traits: traits.ai_marks, "entities.md#ai-objects"),
    "a file of cutscenes": (lambda traits: traits.has_cutscene_file, "cutscenes.md"),
    "samples in a file that all levels share": (
        lambda traits: traits.samples is SamplePlace.IN_MAIN_SFX,
        "sounds.md",
    ),
}

# Where each section of a level file is in Blender.
SECTIONS = {
    "rooms": ("rooms, with their lights, static meshes and sprites", "*Rooms*", "rooms.md"),
    "floor_data": ("floors, ceilings, triggers, marks", "*Collision*, *Triggers*", "collision.md"),
    "mesh_data": ("meshes", "*Models*, *Static Meshes*", "meshes.md"),
    "models": ("models", "*Models*: armatures with meshes", "meshes.md"),
    "animations": ("animations", "actions", "animations.md"),
    "state_changes": ("state changes", "lists of the actions", "animations.md#state-changes"),
    "animation_commands": (
        "commands, sounds, effects",
        "lists and pose markers of the actions",
        "animations.md#commands",
    ),
    "frames": ("key frames", "keys and boxes of the actions", "animations.md#boxes-of-key-frames"),
    "static_meshes": ("static meshes", "*Static Meshes*", "meshes.md"),
    "textiles8": ("texture pages", "images", "textures.md"),
    "textiles16": ("texture pages of 16 bits", "the same images", "textures.md"),
    "textiles32": ("texture pages of 32 bits", "images", "textures.md"),
    "misc_textiles32": ("font and sky; in TR5 the environment map", "images", "textures.md"),
    "palette": ("palette", "an image of 16 by 16 cells", _PALETTE),
    "palette16": (
        "palette of colored faces",
        "an image of 16 by 16 cells",
        _PALETTE,
    ),
    "object_textures": ("object textures", "UVs and materials", "textures.md"),
    "animated_textures": ("animated textures", "lists of the level", _ANIMATED),
    "sprite_textures": ("sprites", "*Sprites*", "textures.md#change-sprites"),
    "cameras": ("cameras and sinks", "*Cameras*", "cameras.md"),
    "flyby_cameras": ("flyby cameras", "*Cameras*", "cameras.md"),
    "cinematic_frames": ("the camera of a cutscene level", "*Cameras*", "cameras.md"),
    "boxes": ("boxes, overlaps and zones", "*Pathfinding*; computed on export after edits", "pathfinding.md"),
    "entities": ("entities", "*Entities*", "entities.md"),
    "ai_objects": ("AI objects", "*Entities*", "entities.md#ai-objects"),
    "sound_sources": ("sound sources", "*Sounds*: speakers", "sounds.md"),
    "sound_details": ("sounds", "panel *Sounds* of the level", "sounds.md"),
    "sample_data": ("samples", "packed sounds", "sounds.md"),
    "samples": ("samples", "packed sounds", "sounds.md"),
    "level_number": ("level number", "panel *Settings* of the level", "entities.md"),
    "lara_type": ("Lara's type and the weather", "panel *Settings* of the level", "entities.md"),
}
# Parts of the sections above, and what is kept without being shown.
PARTS = {
    "animation_dispatches": "state_changes",
    "bump_textiles": "textiles32",
    "mesh_pointers": "mesh_data",
    "mesh_trees": "models",
    "object_textiles": "textiles32",
    "overlaps": "boxes",
    "room_textiles": "textiles32",
    "sample_count": "samples",
    "sample_indices": "sound_details",
    "sound_map": "sound_details",
    "sprite_sequences": "sprite_textures",
    "uv_rotates": "animated_textures",
    "weather": "lara_type",
    "zones": "boxes",
}
KEPT = {
    "demo_data": "the moves of the demo; the panel *Settings* has its start, and can remove it",
    "filler": "numbers between sections",
    "footer": "all bytes after the last section, such as those of TRNG and TRX",
    "light_map": "the table by which software rendering darkens colors; it follows an edited palette",
    "version": "the version of the file",
    "weather_filler": "numbers after the weather",
}
_OF_READING = frozenset(
    {"ends_at", "game", "has_trng_footer", "layout", "sound_map_counted", "streams", "variant"}
)


def sections(game: Game) -> set[str]:
    """Return the names of the sections of a game's level files."""
    return set(vars(Level.empty(game))) - _OF_READING


def page(game: Game) -> str:
    """Return the page of a game in Markdown."""
    return "\n".join(_lines(game)) + "\n"


def _lines(game: Game) -> Iterator[str]:
    about, traits, own = _ABOUT[game], game.traits, sections(game)
    yield f"# {about.title} ({game.name})"
    yield ""
    yield f"What a level of {about.title} can hold, what the extension shows of it, and what stays as it is."
    yield ""
    yield "## Files"
    yield ""
    yield from _table(("file", "ending or place"), about.files)
    yield "## What a level can hold"
    yield ""
    original, trx = limits_of(Target.ORIGINAL, game), limits_of(Target.TRX, game)
    heading = tuple(ENGINES.values()) if traits.is_in_trx else ("at most",)
    yield from _table(
        ("in a level", *heading), _limits(*((original, trx) if traits.is_in_trx else (original,)))
    )
    yield "An empty cell: only the file limits it. [Limits](../limits.md) says what happens with more."
    yield ""
    for title, wanted in (("What the game has", True), ("What the game lacks", False)):
        features = [name for name, (has, _) in FEATURES.items() if bool(has(traits)) is wanted]
        if features:
            yield f"## {title}"
            yield ""
            yield from (f"- [{name}](../{FEATURES[name][1]})" for name in features)
            yield ""
    yield "## Types of triggers"
    yield ""
    yield from _table(*trigger_table(game))
    yield from _notes(game)
    yield "A conversion to this game reports what it lacks: [Convert to another game](../convert.md)."
    yield ""
    yield "## What you see in Blender"
    yield ""
    rows = [
        (words, f"[{place}](../{link})") for name, (words, place, link) in SECTIONS.items() if name in own
    ]
    yield from _table(("in the file", "in Blender"), rows)
    yield "## What stays as it is"
    yield ""
    yield "Everything that you do not edit is written byte for byte. These parts are not shown, and are kept:"
    yield ""
    yield from (f"- {words}" for name, words in KEPT.items() if name in own)
    yield "- bits of flags that no document explains, in rooms, entities, sounds and meshes"


# Headings of the notes of the catalogue, with the heading of their second column, by kind.
NOTES = {
    "flipeffect": ("Flipeffects", "effect", "what it does, and what it needs"),
    "function": ("Marks of sectors", "mark", "what it does"),
    "entity": ("Entities and AI objects", "type", "what it does or needs"),
}


def _notes(game: Game) -> Iterator[str]:
    """Yield tables of the catalogue's notes; types with the same note share a row."""
    catalogue = names(game)
    for kind, (title, name, text) in NOTES.items():
        numbers = catalogue.known(kind)
        if kind == "entity":
            numbers = {**catalogue.notes("sprite"), **catalogue.notes("model")}
        rows: dict[str, list[int]] = {}
        for number in sorted(numbers):
            if note := catalogue.note(kind, number):
                rows.setdefault(note, []).append(number)
        if not rows:
            continue
        yield f"## {title}"
        yield ""
        called = catalogue.entity if kind == "entity" else catalogue.known(kind).__getitem__
        yield from _table(
            ("number", name, text),
            [(", ".join(map(str, some)), ", ".join(map(called, some)), note) for note, some in rows.items()],
        )


def trigger_table(game: Game) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the heading and the rows of the table of the trigger types that engines of a game know."""
    engines = list(ENGINES) if game.traits.has_trx else [Target.ORIGINAL]
    last = [last_trigger_type(game, each) for each in engines]
    rows = [
        (names(game).trigger(kind), *("yes" if kind <= each else "" for each in last))
        for kind in TriggerType
        if kind <= max(last)
    ]
    return ("type", *(ENGINES[each] for each in engines)), rows


def _limits(*columns: Limits) -> Iterator[tuple[str, ...]]:
    for field, words in LIMITS.items():
        values = [getattr(each, field) for each in columns]
        if any(values):
            yield (words, *("" if value is None else f"{value:,}" for value in values))


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heading)} |"
    yield "|" + "---|" * len(heading)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def main() -> None:
    """Write the pages."""
    for game in Game:
        (FOLDER / f"{game.name.lower()}.md").write_text(page(game), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
