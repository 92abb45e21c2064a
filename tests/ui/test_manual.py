"""F1 leads to a page that is there, from every operator and every setting."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from docs import manual as manual_pages
from io_tomb_raider.ui import manual


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("manual")
    manual_pages.write_manual(made)
    return made


def found(name: str) -> str | None:
    """Return the address that Blender finds for a name of its documentation."""
    from bl_operators.wm import WM_OT_doc_view_manual as viewer

    address: str | None = viewer._lookup_rna_url(name, verbose=False)
    return address


def test_every_operator_has_a_page(blender: ModuleType, folder: Path) -> None:
    names = [
        f"bpy.ops.{module}.{name}"
        for module in ("tomb_raider", "import_scene", "export_scene")
        for name in dir(getattr(bpy.ops, module))
        if module == "tomb_raider" or name.startswith("tomb_raider")
    ]
    assert len(names) > 50
    for name in names:
        address = found(name)
        assert address is not None and address.startswith(manual.FOLDER.as_uri()), name
        assert (folder / address.rpartition("/")[2]).is_file(), (name, address)


def test_settings_lead_to_the_page_of_their_subject(blender: ModuleType, folder: Path) -> None:
    groups: list[Any] = [bpy.types.Object.bl_rna.properties["tomb_raider"].fixed_type]
    seen = set()
    while groups:
        group = groups.pop()
        if group.identifier in seen:
            continue
        seen.add(group.identifier)
        address = found(f"bpy.types.{group.identifier}.name")
        assert address is not None and (folder / address.rpartition("/")[2]).is_file(), group.identifier
        ours = (each.fixed_type for each in group.properties if each.type in ("POINTER", "COLLECTION"))
        groups += [each for each in ours if each.identifier.startswith("TombRaider")]
    assert len(seen) > 10
    entity = bpy.types.Object.bl_rna.properties["tomb_raider"].fixed_type.properties["trigger"].fixed_type
    address = found(f"bpy.types.{entity.identifier}.type")
    assert address is not None and address.endswith("/triggers.html")


def test_links_and_pictures_of_the_manual_are_there(folder: Path) -> None:
    pages = list(folder.rglob("*.html"))
    assert len(pages) > 10
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "<h1" in text and ".md" not in re.sub(r"data-href=\"[^\"]*\"|<code>.*?</code>", "", text), page
        for target in re.findall(r' (?:href|src)="(?![a-z]+:)([^"#]*)', text):
            assert not target or (page.parent / target).is_file(), (page.name, target)
