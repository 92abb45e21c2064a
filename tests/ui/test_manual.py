"""Tests that F1 opens an existing page, for every operator and every setting."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

import build
from docs import manual as manual_pages
from docs.reference import reference
from tools.pack import pack


@pytest.fixture(scope="module")
def text(extension: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("manual")
    return manual_pages.write_manual(folder, reference()).read_text(encoding="utf-8")


def found(name: str) -> str | None:
    """Return the URL that Blender finds for an RNA name."""
    from bl_operators.wm import WM_OT_doc_view_manual as viewer

    address: str | None = viewer._lookup_rna_url(name, verbose=False)
    return address


def manual_place(text: str, name: str) -> str:
    """Return the anchor that F1 opens for a name; the manual has it."""
    address = found(name)
    assert address is not None, name
    file, _, anchor = address.partition("#")
    assert file.endswith("/manual/index.html") and f' id="{anchor}"' in text, (name, address)
    return anchor


def test_every_operator_and_option_has_a_place(blender: ModuleType, text: str) -> None:
    names = [
        f"{module}.{name}"
        for module in ("tomb_raider", "import_scene", "export_scene", "import_image", "export_image")
        for name in dir(getattr(bpy.ops, module))
        if module == "tomb_raider" or name.startswith("tomb_raider")
    ]
    assert len(names) > 50
    for name in names:
        assert manual_place(text, f"bpy.ops.{name}") == name
        module, operator = name.split(".")
        assert manual_place(text, f"bpy.types.{module.upper()}_OT_{operator}.size") == name
    triggers = text.partition('<section id="triggers">')[2].partition("</section>")[0]
    assert ' id="tomb_raider.add_trigger_action"' in triggers


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


def test_every_setting_has_a_place(blender: ModuleType, text: str) -> None:
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
            shown += "." in manual_place(text, f"bpy.types.{group.identifier}.{setting.identifier}")
        ours = (each.fixed_type for each in group.properties if each.type in ("POINTER", "COLLECTION"))
        groups += [each for each in ours if each.identifier.startswith("TombRaider")]
    assert len(seen) > 35 and shown > 200
    for name, page in _GROUPS.items():
        assert manual_place(text, f"bpy.types.{name}") == name.lower()
        chapter = text.partition(f'<section id="{page}">')[2].partition("</section>")[0]
        assert f' id="{name.lower()}"' in chapter, (name, page)
    for name in ("tomb_raider_numbers", "tomb_raider_trigger_lines", "tomb_raider_sound"):
        assert manual_place(text, f"bpy.types.WindowManager.{name}")


_OWNERS = ("Collection", "Action", "Bone", "Image", "Material", "Mesh", "Sound", "Text")


def test_links_refer_to_anchors_of_the_manual(text: str) -> None:
    anchors = re.findall(r' id="([^"]+)"', text)
    assert len(anchors) == len(set(anchors)) > 800
    links = re.findall(r' (?:href|src)="(?![a-z]+:)([^"]*)', text)
    assert len(links) > 300 and {link.removeprefix("#") for link in links} <= set(anchors)
    assert text.count("<h1") == text.count("<section") > 50


def test_the_zip_with_the_manual_is_small(tmp_path: Path, extension: ModuleType) -> None:
    manual_pages.write_manual(tmp_path / "manual", reference())
    path = build.build_zip(tmp_path / "dist", manual=tmp_path / "manual")
    pack(path)
    assert path.stat().st_size < 3 * 2**20


def test_no_operator_is_listed_twice(extension: ModuleType) -> None:
    for page, text in reference().items():
        titles = re.findall(r"^### .*$", text, re.MULTILINE)
        assert len(titles) == len(set(titles)), page
