"""Property catalogs of Tomb Editor for TRX."""

from __future__ import annotations

from pathlib import Path

import pytest

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.editors.projects.property_catalog import (
    CatalogProperty,
    find_property_catalogs,
    read_property_catalog,
    read_property_catalogs,
)
from io_tomb_raider.formats.levels.injections.properties import PropertyType

CATALOG = """<?xml version='1.0' encoding='utf-8'?>
<propertyCatalog>
    <!-- of no slot -->
    <moveable id="-1"><property defaultValue="1" internalName="lost" type="Int" /></moveable>
    <moveable id="6">
        <property category="TRX" defaultValue="-1" description="Its {room}."
            internalName="anchor_room" type="Int"/>
        <property defaultValue="true" internalName="bob" type="Bool"/>
        <property defaultValue="text" internalName="unknown" type="String"/>
    </moveable>
    <moveable id="5-7, 9">
        <property defaultValue="High" entries="Normal, Low, High" internalName="mode" type="Enum"/>
        <property defaultValue="TEN.Vec3(1, -2, 3)" internalName="range" type="Vec3"/>
        <property defaultValue="1.5" internalName="radius" type="Float"/>
        <property internalName="bare" type="Color"/>
    </moveable>
</propertyCatalog>
"""


def test_objects_have_properties_with_types_and_defaults() -> None:
    found = read_property_catalog(CATALOG.encode())
    shared = [
        CatalogProperty("mode", PropertyType.INTEGER, (2,), "0 Normal, 1 Low, 2 High"),
        CatalogProperty("range", PropertyType.VECTOR, (1, -2, 3)),
        CatalogProperty("radius", PropertyType.FLOAT, (1.5,)),
        CatalogProperty("bare", PropertyType.COLOR, (0, 0, 0)),
    ]
    assert found == {
        5: shared,
        6: [
            CatalogProperty("anchor_room", PropertyType.INTEGER, (-1,), "Its {room}."),
            CatalogProperty("bob", PropertyType.BOOLEAN, (1,)),
            *shared,
        ],
        7: shared,
        9: shared,
    }


def test_other_files_are_refused(tmp_path: Path) -> None:
    for text in (b"<sounds/>", b"<propertyCatalog>", b""):
        with pytest.raises(FormatError):
            read_property_catalog(text)
    (tmp_path / "a.xml").write_text("<propertyCatalog")
    (tmp_path / "b.xml").write_text(CATALOG)
    assert sorted(read_property_catalogs(tmp_path)) == [5, 6, 7, 9]


def test_catalogs_are_above_a_level(tmp_path: Path) -> None:
    folder = tmp_path / "Engine" / "games" / "mod" / "data"
    folder.mkdir(parents=True)
    assert find_property_catalogs(folder) is None
    (tmp_path / "Properties").mkdir()
    (tmp_path / "Properties" / "default.xml").write_text(CATALOG)
    assert find_property_catalogs(folder) == tmp_path / "Properties"
