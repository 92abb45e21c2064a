"""Tests that numbers and names on the pages match the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

from docs import games
from docs.manual import pages
from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.targets import Limits, Target, limits_of
from io_tomb_raider.formats.levels.animations.plan import MAX_ANIMATIONS
from io_tomb_raider.formats.levels.collision.sectors import NO_ROOM
from io_tomb_raider.formats.levels.cutscenes.cutscenes import MOST_ACTORS, MOST_FRAMES
from io_tomb_raider.formats.levels.floor.floor_data import PARAMETER_LIMIT
from io_tomb_raider.formats.levels.sounds.details import MOST_SAMPLES
from io_tomb_raider.formats.levels.textures.animated import MOST_SCROLLING_FRAMES, MOST_SCROLLING_GROUPS
from io_tomb_raider.formats.levels.textures.object_textures import MOST_TEXTURES
from io_tomb_raider.formats.levels.textures.packing import MOST_PAGES
from io_tomb_raider.scene.subjects.collision.size import MOST_SECTORS
from io_tomb_raider.scene.subjects.rooms.rooms import _MOST_VERTICES

from . import screen, tutorials

DOCS = Path(__file__).parent.parent.parent / "docs"


def table(page: str, heading: str) -> dict[str, list[str]]:
    """Return the rows of the table with a heading in its first cell, by their first cells."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        first, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        rows[first] = rest
    return rows


def numbers(text: str) -> list[int]:
    return [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\d|\d", text)]


@pytest.mark.once
def test_limits_of_engines_on_the_page_are_those_of_the_code() -> None:
    engines = [*(limits_of(Target.ORIGINAL, game) for game in Game), limits_of(Target.TRX, Game.TR1)]
    fields = {
        "rooms": "rooms",
        "entities": "entities",
        "ids of static meshes": "static_meshes",
        "static meshes in all rooms": "placements",
        "texture pages": "pages",
        "object textures": "object_textures",
        "sprites": "sprites",
        "samples": "samples",
        "boxes for pathfinding": "boxes",
        "flyby cameras": "flybys",
        "flyby sequences": "flyby_sequences",
        "flip maps": "flip_maps",
        "vertices of a room": "vertices",
        "lights of a room": "lights",
    }
    wanted = {words: [getattr(each, field) or 0 for each in engines] for words, field in fields.items()}
    rows = table("limits.md", "in a level")
    said = {name.partition(",")[0]: [sum(numbers(cell)) for cell in cells] for name, cells in rows.items()}
    assert said == wanted
    assert {*fields.values()} == {*Limits._fields} - {"trigger_type", "refused"}
    rows = table("limits.md", "above the limit")
    assert {name for name, (_, trx) in rows.items() if "refused" in trx} == {
        words for words, field in fields.items() if field in engines[-1].refused
    }


def test_limits_of_files_on_the_page_are_those_of_the_code() -> None:
    rows = table("limits.md", "element")
    assert [numbers(cell[0]) for cell in rows.values()] == [
        [NO_ROOM],
        [PARAMETER_LIMIT + 1],
        [MOST_PAGES],
        [MOST_TEXTURES[game] for game in (Game.TR1, Game.TR3, Game.TR5)],
        [_MOST_VERTICES],
        [MOST_SECTORS],
        [MAX_ANIMATIONS],
        [MOST_SAMPLES],
        [MOST_SCROLLING_GROUPS, MOST_SCROLLING_FRAMES],
        [MOST_ACTORS],
        [MOST_FRAMES],
    ]


@pytest.mark.once
def test_features_of_games_on_the_page_are_their_traits() -> None:
    traits = {
        "additive faces": "has_additive_blending",
        "double-sided faces of rooms": "has_double_sided_faces",
        "shiny faces": "has_effects",
        "flyby cameras": "has_flybys",
        "floors of two triangles": "has_triangulated_floors",
        "climbable walls": "has_climbable_walls",
        "monkey-swing ceilings": "has_sector_marks",
        "untextured faces on meshes": "has_colored_faces",
    }
    rows = table("limits.md", "feature")
    for words, trait in traits.items():
        assert [bool(cell) for cell in rows[words]] == [getattr(game.traits, trait) for game in Game], words


def test_first_steps_are_as_written(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from io_tomb_raider.formats import read_level
    from tests.compare import differences
    from tests.sample_levels import sample_bytes

    monkeypatch.chdir(tmp_path)
    (tmp_path / "LEVEL1.PHD").write_bytes(sample_bytes(Game.TR1))
    names = tutorials.run("../first-steps")
    assert names["severities"] <= {"INFO"}  # notes
    changed = differences(read_level("LEVEL1.PHD"), read_level("LEVEL1_NEW.PHD"))
    assert changed == [("entities", 0, "x")]


_PAGES = ("install", "how-it-looks", "import-export", "questions", "tutorials/index", "limits")
# Names that Blender shows, but Python cannot access.
_SHOWN_ELSEWHERE = {
    "Include",
    "OK",
    "Add-ons",
    "Uninstall",
    "Tomb Raider Levels",
    "Edit > Preferences",
    "File > Import",
}


def test_pages_name_labels_of_the_interface(blender: ModuleType, tmp_path: Path) -> None:
    import bpy

    from tests.scene.scenes import objects
    from tests.ui.user_actions import import_sample, select

    root = import_sample(tmp_path, "tr3")
    folders = bpy.utils.preset_paths("operator/import_scene.tomb_raider")
    seen = {
        bpy.path.display_name(path.stem, title_case=False)
        for each in folders
        for path in Path(each).glob("*.py")
    }
    for kind in ("ENTITY", "ROOM"):
        select(objects(root, kind)[0])
        seen |= screen.seen_now()
    bpy.ops.object.mode_set(mode="EDIT")
    seen |= screen.seen_now()
    bpy.ops.object.mode_set(mode="OBJECT")
    for page in _PAGES:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        words = set(screen.marked(text)) - _SHOWN_ELSEWHERE
        assert not screen.unknown_words(sorted(words), seen), page


# --- Pages of subjects ----------------------------------------

# Names of Blender that Python cannot access, parts of names, and examples of names of objects and images.
_ELSEWHERE = {
    *(
        "Active",
        "Add",
        "Add-ons",
        "All Actions",
        "Assign",
        "Backface Culling",
        "Blended",
        "Collection Instance",
    ),
    *("Collection Properties", "Color Space", "Everything", "Export all Armature Actions", "Extension"),
    *("File Paths", "Geometry Only", "Inherit Rotation", "Inherit Scale", "Language", "Local Location"),
    *(
        "Make Local",
        "Material",
        "Models Only",
        "NLA Strips",
        "Non-Color",
        "Normal Edit",
        "OK",
        "Object Properties",
    ),
    *(
        "Properties",
        "Realize Instances",
        "Relations",
        "Render Method",
        "Reset",
        "Save",
        "To Look At",
        "glTF 2.0",
    ),
    *("Tomb Raider Levels", "UV", "Use Vertex Color", "Weighted Normal"),
    *("R Z Z", "underwater current", "blockable", "blocked", "Conversion of", "Lara location"),
    *("1", "Animated Texture 0", "Camera 3", "Cutscene 12", "DEF-thigh.L", "Flyby 0.2", "Page 03"),
    *("Page 03 64 x 64 at 128 0 Alpha", "Run forward", "Sink 4", "Waterfall 1", "\u2026 Animated 0"),
    *("Key item 1 (Commander Bishop's Key)", "game / kind / level"),
}
_FOR_DEVELOPERS = {
    "architecture.md",
    "testing.md",
    "library.md",
    "listing.md",
    "python.md",
    "python-hooks.md",
}


def strings_of_the_extension() -> set[str]:
    """Return all strings in the sources of the extension, without trailing dots."""
    found = set()
    for path in (DOCS.parent / "io_tomb_raider").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(screen.plain(node.value).lower())
    return found


@pytest.mark.once
def test_pages_name_labels_that_exist(blender: ModuleType) -> None:
    known = strings_of_the_extension()
    missing = {}
    for path in [each for each in DOCS.glob("*.md") if each.name not in _FOR_DEVELOPERS]:
        text = re.sub(r"^    [^\n]*$|```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=_LINES)
        parts = {part for words in screen.marked(text) for part in words.split(" > ")} - _ELSEWHERE
        others = {part for part in parts if screen.plain(part).lower() not in known}
        missing[path.name] = screen.unknown_words(sorted(others), set())
    wrong = [f"{name}: {words}" for name, words in missing.items() if words]
    assert not wrong, "\n".join(wrong)


_LINES = re.MULTILINE | re.DOTALL


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as Markdown makes them."""
    plain = (
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", each) for each in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    )
    words = (re.sub(r"[^\w\s-]", "", each).strip().lower() for each in plain)
    return {re.sub(r"[-\s]+", "-", each) for each in words}


@pytest.mark.once
def test_links_refer_to_existing_pages_and_headings() -> None:
    for page in [*pages(), DOCS / "architecture.md", DOCS / "testing.md"]:
        for link in re.findall(r"\]\((?![a-z]+:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
            name, _, mark = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            assert target.is_file(), (page.name, link)
            assert not mark or mark in anchors(target.read_text(encoding="utf-8")), (page.name, link)


@pytest.mark.once
def test_every_page_is_in_the_contents_once() -> None:
    settings, _, contents = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    listed = re.findall(r": ([\w/.-]+\.md)$", contents, re.MULTILINE)
    listed += re.findall(r"^  ([\w/.-]+\.md)$", settings, re.MULTILINE)  # exclude_docs
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.mark.once
def test_pictures_are_shown_described_and_small() -> None:
    shown = set()
    for page in DOCS.rglob("*.md"):
        for words, link in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert len(words) > 8, (page.name, link)
            shown.add((page.parent / link).resolve())
    folders = [DOCS / "pictures" / name for name in ("", "landing", "tools", "tutorials", "window")]
    files = {path for folder in folders for path in folder.iterdir() if path.is_file()}
    assert files == shown
    assert all(path.stat().st_size < 1_000_000 for path in files)


@pytest.mark.once
@pytest.mark.parametrize("page", ["cheat-sheet.md", "texture-brush.md"])
def test_all_keys_of_the_texture_brush_are_listed(blender: ModuleType, page: str) -> None:
    from io_tomb_raider.ui.texture_tiles.tools import _KEYS

    wanted = set()
    for _, event, _ in _KEYS:
        held = "+".join(name.title() for name in ("shift", "ctrl") if event.get(name))
        if event["type"] == "LEFTMOUSE":
            wanted.add(f"*{held}* and click" if held else "click")
        else:
            wanted.add(f"*{held}+{event['type']}*" if held else f"*{event['type']}*")
    assert {each for row in table(page, "mouse and keys") for each in row.split(", ")} == wanted | {"drag"}


# --- Pages of games ----------------------------------------


@pytest.mark.once
@pytest.mark.parametrize("game", Game)
def test_pages_of_games_are_those_of_the_tables(game: Game) -> None:
    path = games.FOLDER / f"{game.name.lower()}.md"
    assert path.read_text(encoding="utf-8") == games.page(game), "run: python -m docs.games"


@pytest.mark.once
@pytest.mark.parametrize("game", Game)
def test_pages_of_games_name_every_section_once(game: Game) -> None:
    parts = [set(games.SECTIONS), set(games.PARTS), set(games.KEPT)]
    assert games.sections(game) <= set.union(*parts)
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert set(games.PARTS.values()) <= set(games.SECTIONS)
    assert set(games.LIMITS) == set(Limits._fields) - {"trigger_type", "refused"}
