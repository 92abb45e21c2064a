"""Materials of TombEngine: an XML file next to the image of a texture, with the names of its maps.

It is the XML of a .NET class, `stone.xml` for `stone.png`. Paths start in its folder. Since Tomb Editor 2.0,
types are numbers, and texts in ``Properties`` replace the parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

from ...base.errors import FormatError
from ..animation_files.xml_tree import Document, XmlElement

_ROOT = "MaterialData"
TYPE, TYPES = "Type", ("Default", "Reflective", "SkyboxReflective")
#: The element of each map, and the ending of its image where there is no such file.
MAPS = {
    "normal": ("NormalMap", "_N"),
    "height": ("HeightMap", "_H"),
    "specular": ("SpecularMap", "_S"),
    "roughness": ("RoughnessMap", "_R"),
    "occlusion": ("AmbientOcclusionMap", "_AO"),
    "emissive": ("EmissiveMap", "_E"),
}
STRENGTHS = {"normal_strength": "Parameters0/X", "specular_strength": "Parameters0/Y"}
_PATHS = (TYPE, *(tag for tag, _ in MAPS.values()), *STRENGTHS.values())
_NAMES = frozenset(tag for path in _PATHS for tag in path.split("/"))
_MOST_BYTES, _MOST_ELEMENTS = 1 << 20, 1 << 12
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]*)?([eE](-[0-9]{1,2}|\+?[0-9]))?")
_TAG = re.compile(rb"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")


def new_material(image: str) -> bytes:
    """Return a material of the editor's default values for an image."""
    numbers = "".join(f"<{tag}>{int(tag != 'W')}</{tag}>" for tag in "XYZW")
    lines = f"\t<Type>Default</Type>\n\t<ColorMap>{escape(image)}</ColorMap>\n"
    text = f"<{_ROOT}>\n{lines}\t<Parameters0>{numbers}</Parameters0>\n</{_ROOT}>\n"
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}'.encode("utf-8", "replace")


def is_material(data: bytes) -> bool:
    """Return whether a file is a material."""
    try:
        return bool(_document(data))
    except FormatError:
        return False


def read_material(data: bytes) -> dict[str, str]:
    """Return the texts of a material's elements by path. Strengths that are no numbers are left out.

    Raises FormatError if it is no material, or damaged.
    """
    document, texts = _document(data), {}
    for path in _PATHS:
        element = _at(document, path)
        if element is not None and ("/" not in path or _NUMBER.fullmatch(element.text.strip())):
            texts[path] = element.text.strip()
    return texts


def edit_material(data: bytes, texts: Mapping[str, str]) -> bytes:
    """Return a material with other texts of elements. Only those that differ change.

    Raises FormatError if it is damaged, or no XML can hold a text.
    """
    document, before = _document(data), read_material(data)
    content = document.text.content.encode()
    edits = []
    for path, text in texts.items():
        if text != before.get(path, ""):
            element, tag = _at(document, path), path.split("/")[-1]
            whole = f"<{tag}>{escape(text)}</{tag}>"
            start = end = document.root.end
            if element is None:
                whole = f"\t{whole}\n"
            else:
                start = element.place
                tag_end = start + len(_tag(content, start))
                is_empty = content[tag_end - 2 : tag_end] == b"/>"
                end = tag_end if is_empty else element.end + len(_tag(content, element.end))
            edits.append((start, end, whole.encode("utf-8", "replace")))
    for start, end, whole_bytes in sorted(edits, reverse=True):
        content = content[:start] + whole_bytes + content[end:]
    result = document.text.mark + content.decode().encode(document.text.encoding, "xmlcharrefreplace")
    _document(result)
    return result


def _tag(content: bytes, place: int) -> bytes:
    match = _TAG.match(content, place)
    return match[0] if match is not None else b""


def _document(data: bytes) -> Document:
    if len(data) > _MOST_BYTES:
        raise FormatError("file", f"at most {_MOST_BYTES} bytes", str(len(data)))
    document = Document(data, _NAMES, _MOST_ELEMENTS)
    root = document.root
    if root.tag != _ROOT or not root.children:
        raise document.error(root, f"{_ROOT} with a material", root.tag)
    return document


def _at(document: Document, path: str) -> XmlElement | None:
    element: XmlElement | None = document.root
    for tag in path.split("/"):
        element = None if element is None else document.find(element, tag)
    return element
