"""Panels, menus and operators as they appear for levels of all games, and the pages made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .samples import SUFFIXES, write_samples


def start() -> None:
    """Start the extension in Blender's module."""
    import io_tomb_raider

    io_tomb_raider.register()


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and the texts of what the interface shows."""
    import bpy

    from docs import games, interface, readers_page, reference
    from io_tomb_raider.formats import Game

    yield "the Python interface", interface.text()
    yield "stubs", interface.stubs()
    yield "rules of readers", readers_page.page()
    yield "reference", json.dumps(reference.reference())
    for game in Game:
        yield f"page of {game.name}", games.page(game)
    from io_tomb_raider.scene.core.subjects import SUBJECTS
    from tests.scene.scenes import objects
    from tests.ui.everything import draw_menu, menus
    from tests.ui.user_actions import select

    list(write_samples(folder))
    kinds = [kind.identifier for subject in SUBJECTS for kind in subject.objects]
    for game, suffix in SUFFIXES.items():
        bpy.ops.wm.read_homefile(use_empty=True)
        path = folder / f"sample_{game.name.lower()}{suffix}"
        operator: Any = bpy.ops.import_scene
        operator.tomb_raider(filepath=str(path))
        root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
        for kind in kinds:
            if found := objects(root, kind):
                select(found[0])
                yield f"panels of {game.name}, {kind}", _panels(found[0], root)
                if found[0].type == "MESH":
                    bpy.ops.object.mode_set(mode="EDIT")
                    bpy.ops.mesh.select_all(action="SELECT")
                    yield f"panels of {game.name}, {kind}, in Edit Mode", _panels(found[0], root)
                    bpy.ops.object.mode_set(mode="OBJECT")
        entries = [(each.__name__, _shown(draw_menu(each))) for each in menus()]
        yield f"menus of {game.name}", json.dumps(entries)


def _panels(obj: Any, root: Any) -> str:
    from tests.ui.everything import draw_all

    return json.dumps({name: _shown(layout) for name, layout in draw_all(obj, root).items()})


def _shown(layout: Any) -> Any:
    operators = [
        (name, {key: repr(value) for key, value in vars(settings).items() if key != "_known"})
        for name, settings in layout.operators
    ]
    return (
        *(layout.texts, layout.names, operators, layout.choices, layout.pressed, layout.lists),
        *(layout.menus, layout.popovers, layout.icons, round(layout.height, 3)),
    )
