"""Tests that F1 opens an existing page, for every operator and every setting."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from docs import manual as manual_pages
from docs.reference import reference
from io_tomb_raider.ui import manual


@pytest.fixture(scope="module")
def folder(extension: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("manual")
    manual_pages.write_manual(made, reference())
    return made


def found(name: str) -> str | None:
    """Return the URL that Blender finds for an RNA name."""
    from bl_operators.wm import WM_OT_doc_view_manual as viewer

    address: str | None = viewer._lookup_rna_url(name, verbose=False)
    return address


def manual_place(folder: Path, name: str) -> str:
    """Return the page and the place on it that F1 opens for a name; both are there."""
    address = found(name)
    assert address is not None and address.startswith(manual.FOLDER.as_uri()), name
    target = address.rpartition("/")[2]
    page, _, mark = target.partition("#")
    assert (folder / page).is_file(), (name, target)
    assert not mark or f'id="{mark}"' in (folder / page).read_text(encoding="utf-8"), (name, target)
    return target


def test_every_operator_and_option_has_a_place(blender: ModuleType, folder: Path) -> None:
    names = [
        f"{module}.{name}"
        for module in ("tomb_raider", "import_scene", "export_scene", "import_image", "export_image")
        for name in dir(getattr(bpy.ops, module))
        if module == "tomb_raider" or name.startswith("tomb_raider")
    ]
    assert len(names) > 50
    for name in names:
        assert manual_place(folder, f"bpy.ops.{name}").endswith(f"#{name}")
        module, operator = name.split(".")
        assert manual_place(folder, f"bpy.types.{module.upper()}_OT_{operator}.size").endswith(f"#{name}")
    assert manual_place(folder, "bpy.ops.tomb_raider.add_trigger_action").startswith("triggers.html#")


# Settings whose page must not be that of their folder.
_GROUPS = {
    "TombRaiderEntity.ocb": "entities",
    "TombRaiderLight.intensity": "lights",
    "TombRaiderRoom.has_water": "rooms",
    "TombRaiderTrigger.timer": "triggers",
    "TombRaiderSoundSource.flags": "sounds",
    "TombRaiderAction.next_action": "animations",
    "TombRaiderFlyby.sequence": "cameras",
    "TombRaiderMaterial.blending": "materials",
    "TombRaiderStaticMesh.visibility_box": "meshes",
    "TombRaiderAIObject.type": "entities",
    "TombRaiderCutscene.audio_track": "cutscenes",
}


def test_every_setting_has_a_place(blender: ModuleType, folder: Path) -> None:
    groups: list[Any] = [
        bpy.types.Object.bl_rna.properties["tomb_raider"].fixed_type,
        *(getattr(bpy.types, kind).bl_rna.properties["tomb_raider"].fixed_type for kind in _OWNERS),
    ]
    seen, shown = set(), 0
    while groups:
        group = groups.pop()
        if group.identifier in seen:
            continue
        seen.add(group.identifier)
        for setting in group.properties:
            shown += "#" in manual_place(folder, f"bpy.types.{group.identifier}.{setting.identifier}")
        ours = (each.fixed_type for each in group.properties if each.type in ("POINTER", "COLLECTION"))
        groups += [each for each in ours if each.identifier.startswith("TombRaider")]
    assert len(seen) > 35 and shown > 200
    for name, page in _GROUPS.items():
        assert manual_place(folder, f"bpy.types.{name}") == f"{page}.html#{name.lower()}"
    for name in ("tomb_raider_numbers", "tomb_raider_trigger_lines", "tomb_raider_sound"):
        assert manual_place(folder, f"bpy.types.WindowManager.{name}")


_OWNERS = ("Collection", "Action", "Bone", "Image", "Material", "Mesh", "Sound", "Text")


def test_links_and_pictures_of_the_manual_are_there(folder: Path) -> None:
    pages = list(folder.rglob("*.html"))
    assert len(pages) > 10
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "<h1" in text and ".md" not in re.sub(r"data-href=\"[^\"]*\"|<code>.*?</code>", "", text), page
        for target in re.findall(r' (?:href|src)="(?![a-z]+:)([^"#]*)', text):
            assert not target.endswith("/"), (page.name, target)
            assert not target or (page.parent / target).is_file(), (page.name, target)


def test_no_operator_is_listed_twice(extension: ModuleType) -> None:
    for page, text in reference().items():
        titles = re.findall(r"^### .*$", text, re.MULTILINE)
        assert len(titles) == len(set(titles)), page
