"""Property catalogs of Tomb Editor: XML files with the properties that each object has for TRX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...base.bytes.files import read_file
from ...base.errors import FormatError
from ...levels.injections.properties import PropertyType
from ..animation_files.xml_tree import Document

FOLDER = "Properties"  # of a package of TRX for Tomb Editor
_MOST_ELEMENTS, _MOST_SLOT = 1 << 16, 1 << 16
_UPWARDS = 6  # folders above a level that are searched
_SLOTS = re.compile(r"(\d{1,5})(?:\s*-\s*(\d{1,5}))?")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_TYPES = {
    "int": PropertyType.INTEGER,
    "enum": PropertyType.INTEGER,
    "float": PropertyType.FLOAT,
    "bool": PropertyType.BOOLEAN,
    "vec3": PropertyType.VECTOR,
    "color": PropertyType.COLOR,
}


class CatalogProperty(NamedTuple):
    """A property that an object can have."""

    name: str  #: as the engine finds it.
    type: PropertyType
    #: its value without the property: three numbers of vectors and colors, else one.
    default: tuple[float, ...]
    note: str = ""  #: what it does and what its values mean, in the language of the catalog.


def read_property_catalog(data: bytes) -> dict[int, list[CatalogProperty]]:
    """Return the properties of objects by slot. Those of types that no level can hold are left out.

    Raises:
        FormatError: if it is no property catalog.
    """
    document = Document(data, {"propertyCatalog", "moveable", "property"}, _MOST_ELEMENTS)
    if document.root.tag != "propertyCatalog":
        raise document.error(document.root, "propertyCatalog", document.root.tag)
    result: dict[int, list[CatalogProperty]] = {}
    for element in document.each(document.root, "moveable"):
        properties = [_property(each.attributes) for each in document.each(element, "property")]
        for slot in _slots(element.attributes.get("id", "")):
            result.setdefault(slot, []).extend(each for each in properties if each is not None)
    return result


def _slots(text: str) -> Iterator[int]:
    """Yield the slots of a list such as "84-94, 110". -1 stands for objects without a slot."""
    for part in text.split(","):
        match = _SLOTS.fullmatch(part.strip())
        if match is not None:
            yield from range(int(match[1]), min(int(match[2] or match[1]), _MOST_SLOT) + 1)


def _property(attributes: dict[str, str]) -> CatalogProperty | None:
    kind, name = attributes.get("type", "").lower(), attributes.get("internalName", "")
    if kind not in _TYPES or not name:
        return None
    entries = [each.strip() for each in attributes.get("entries", "").split(",") if each.strip()]
    text = attributes.get("defaultValue", "")
    numbers = tuple(map(float, _NUMBER.findall(text.split("(")[-1])))
    if _TYPES[kind] in (PropertyType.VECTOR, PropertyType.COLOR):
        numbers = (*numbers, 0.0, 0.0, 0.0)[:3]
    elif kind == "enum":
        numbers = (float(entries.index(text)) if text in entries else 0.0,)
    elif kind == "bool":
        numbers = (float(text.lower() == "true"),)
    meanings = ", ".join(f"{number} {entry}" for number, entry in enumerate(entries))
    note = " ".join(filter(None, (attributes.get("description", ""), meanings)))
    return CatalogProperty(name, _TYPES[kind], numbers[:3] or (0.0,), note)


def find_property_catalogs(folder: Path) -> Path | None:
    """Return the folder of property catalogs in a folder, or in one of those above it."""
    places = (each / FOLDER for each in (folder, *folder.parents)[:_UPWARDS])
    return next((each for each in places if any(each.glob("*.xml"))), None)


def read_property_catalogs(folder: Path) -> dict[int, list[CatalogProperty]]:
    """Return the properties of objects by slot, of all catalogs in a folder. Damaged files are left out."""
    result: dict[int, list[CatalogProperty]] = {}
    for path in sorted(folder.glob("*.xml")):
        try:
            catalog = read_property_catalog(read_file(path))
        except (FormatError, OSError):
            continue
        for slot, properties in catalog.items():
            result.setdefault(slot, []).extend(properties)
    return result
