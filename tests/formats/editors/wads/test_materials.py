"""Materials of textures, as Tomb Editor writes them next to their images."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.editors.wads.materials import (
    MAPS,
    edit_material,
    is_material,
    new_material,
    read_material,
)

# As .NET writes it to a file: with a mark, CR LF and tabs.
WRITTEN = (
    (
        "\ufeff"
        + """<?xml version="1.0" encoding="utf-8"?>
<MaterialData xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
	<Type>SkyboxReflective</Type>
	<ColorMap>wood.png</ColorMap>
	<NormalMap>maps\\wood &amp; oak_N.png</NormalMap>
	<HeightMap />
	<SpecularMap>..\\s.png</SpecularMap>
	<RoughnessMap></RoughnessMap>
	<EmissiveMap>C:\\e.png</EmissiveMap>
	<Later kept="a > b"><NormalMap>not this</NormalMap></Later>
	<Parameters0>
		<X>0.25</X>
		<Y>1.50</Y>
		<Z>3</Z>
		<W>4</W>
	</Parameters0>
	<Parameters1>
		<X>5</X>
	</Parameters1>
</MaterialData>"""
    )
    .replace("\n", "\r\n")
    .encode()
)
TEXTS = {
    "Type": "SkyboxReflective",
    "NormalMap": "maps\\wood & oak_N.png",
    "HeightMap": "",
    "SpecularMap": "..\\s.png",
    "RoughnessMap": "",
    "EmissiveMap": "C:\\e.png",
    "Parameters0/X": "0.25",
    "Parameters0/Y": "1.50",
}
# Since Tomb Editor 2.0.
NEWER = b"""<MaterialData>
  <Type>1</Type><Name>wood</Name><NormalMap xsi:nil="true" />
  <Properties><string>0.5</string><string /></Properties>
</MaterialData>"""
_ADDED = b"\t<AmbientOcclusionMap>o.png</AmbientOcclusionMap>\n</MaterialData>"


def test_a_file_has_the_values_that_the_editor_wrote() -> None:
    assert read_material(WRITTEN) == TEXTS
    assert edit_material(WRITTEN, TEXTS) == WRITTEN
    assert read_material(NEWER) == {"Type": "1", "NormalMap": ""}
    edited = edit_material(NEWER, {"Type": "0", "NormalMap": "n.png"})
    assert edited == NEWER.replace(b">1<", b">0<").replace(b' xsi:nil="true" />', b">n.png</NormalMap>")


def test_new_files_have_the_values_of_the_editor() -> None:
    data = new_material("wood & oak.png")
    assert read_material(data) == {
        "Type": "Default",
        "Parameters0/X": "1",
        "Parameters0/Y": "1",
    }
    root = ElementTree.fromstring(data)
    assert root.findtext("ColorMap") == "wood & oak.png"
    assert [each.text for each in root.findall("Parameters0/*")] == ["1", "1", "1", "0"]


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("Type", "Reflective", b"<Type>SkyboxReflective<", b"<Type>Reflective<"),
        ("NormalMap", "a<b.png", b"<NormalMap>maps\\wood &amp; oak_N.png<", b"<NormalMap>a&lt;b.png<"),
        ("HeightMap", "h.png", b"<HeightMap />", b"<HeightMap>h.png</HeightMap>"),
        ("RoughnessMap", "r.png", b"<RoughnessMap>", b"<RoughnessMap>r.png"),
        ("AmbientOcclusionMap", "o.png", b"</MaterialData>", _ADDED),
        ("EmissiveMap", "", b"C:\\e.png", b""),
        ("Parameters0/Y", "0.1", b"1.50", b"0.1"),
    ],
)
def test_an_edit_changes_only_its_element(path: str, text: str, old: bytes, new: bytes) -> None:
    assert edit_material(WRITTEN, TEXTS | {path: text}) == WRITTEN.replace(old, new)


def test_other_files_are_refused() -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY x "xx">]><MaterialData><Type>&x;</Type></MaterialData>'
    twice = b"<MaterialData><NormalMap/><NormalMap/></MaterialData>"
    many = b"<MaterialData><Type/>" + b"<a/>" * 5000 + b"</MaterialData>"
    for data in (b"<WadSounds> </WadSounds>", b"<MaterialData/>", b"", b"\xff", bomb, many):
        with pytest.raises(FormatError):
            read_material(data)
    with pytest.raises(FormatError):
        read_material(twice)
    number = b"<MaterialData><Parameters0><X>NaN</X><Y>1E-05</Y></Parameters0></MaterialData>"
    assert read_material(number) == {"Parameters0/Y": "1E-05"}
    with pytest.raises(FormatError, match="at most"):
        read_material(b"<MaterialData>" + b" " * (1 << 20) + b"</MaterialData>")
    with pytest.raises(FormatError):
        edit_material(WRITTEN, {"NormalMap": "\1"})
    assert is_material(WRITTEN) and not is_material(b"<WadSounds/>") and not is_material(b"<MaterialData")


_TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=12).map(str.strip)
_WIDE = WRITTEN.decode("utf-8-sig").replace("utf-8", "utf-16").encode("utf-16")


@given(
    st.fixed_dictionaries({tag: _TEXTS for tag, _ in MAPS.values()}),
    st.sampled_from([new_material("a.png"), WRITTEN, _WIDE, NEWER.replace(b"xsi:nil", b"nil")]),
)
def test_edited_files_have_the_new_values(maps: dict[str, str], data: bytes) -> None:
    """An independent reader of XML finds them, too, and all other elements."""
    written = edit_material(data, maps)
    read = read_material(written)
    assert {tag: read.get(tag, "") for tag in maps} == maps
    before, after = (ElementTree.fromstring(each) for each in (data, written))
    assert {tag: (after.findtext(tag) or "").strip() for tag in maps} == maps
    kept = [ElementTree.tostring(each) for each in before if each.tag not in maps]
    assert [ElementTree.tostring(each).strip() for each in after if each.tag not in maps] == [
        each.strip() for each in kept
    ]
    assert edit_material(written, read) == written


@given(st.integers(0, len(WRITTEN) - 1), st.binary(max_size=3), st.integers(0, 4))
def test_damaged_files_are_read_or_refused(place: int, inserted: bytes, removed: int) -> None:
    data = WRITTEN[:place] + inserted + WRITTEN[place + removed :]
    try:
        texts = read_material(data)
    except FormatError:
        return
    changed = texts | {"Type": "Reflective"} | {tag: "new.png" for tag, _ in MAPS.values()}
    assert edit_material(data, texts) == data
    assert read_material(edit_material(data, changed)) == changed
