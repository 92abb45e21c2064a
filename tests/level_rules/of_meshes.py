"""Rules of meshes."""

from __future__ import annotations

from .raw import Places, Raw, crash

_HAIR, _JOINTS, _SKY = 30, 9, 355
_WATERFALLS = {4: range(423, 426), 5: range(410, 416)}
_SHINY = 2


@crash("mesh order")
def mesh_order(raw: Raw) -> Places:
    first_uses = list(dict.fromkeys(raw.pointers))
    if first_uses and (first_uses[0] != 0 or first_uses != sorted(first_uses)):
        yield 0


@crash("number of meshes")
def number_of_meshes(raw: Raw) -> Places:
    if len(raw.offsets) > 1024:
        yield 0


@crash("vertices of a mesh", "45", in_trng=False)
def vertices_of_a_mesh(raw: Raw) -> Places:
    yield from (number for number, mesh in enumerate(raw.meshes.values()) if mesh.vertices > 255)


@crash("normals")
def normals(raw: Raw) -> Places:
    for number, mesh in enumerate(raw.meshes.values()):
        if abs(mesh.normals) != mesh.vertices:
            yield number


@crash("mesh textures")
def mesh_textures(raw: Raw) -> Places:
    mask = 0xFFFF if raw.game < 3 else 0x7FFF
    for number, mesh in enumerate(raw.meshes.values()):
        if any(texture & mask >= len(raw.level.object_textures) for _, texture, _ in mesh.faces):
            yield number


@crash("shine on lit meshes", "45")
def shine_on_lit_meshes(raw: Raw) -> Places:
    for number, mesh in enumerate(raw.meshes.values()):
        if mesh.normals < 0 and any(effects & _SHINY for _, _, effects in mesh.faces):
            yield number


@crash("hair", "45")
def hair(raw: Raw) -> Places:
    model = raw.model(_HAIR)
    if raw.model(0) is not None and (model is None or model["meshes"] < 5):
        yield 0


@crash("joints", "45")
def joints(raw: Raw) -> Places:
    model = raw.model(_JOINTS)
    if model is None or raw.model(0) is None:
        return
    if model["meshes"] != 15 or any(mesh.vertices > 32 for mesh in raw.meshes_of(model)):
        yield 0


@crash("waterfall quad", "45")
def waterfall_quad(raw: Raw) -> Places:
    for model in raw.models:
        if model["id"] in _WATERFALLS[raw.game]:
            first = raw.meshes_of(model)[:1]
            if first and not any(corners == 4 for corners, _, _ in first[0].faces):
                yield model["id"]


@crash("sky triangles", "3")
def sky_triangles(raw: Raw) -> Places:
    model = raw.model(_SKY)
    if model is not None and 0 < sum(mesh.colored[1] for mesh in raw.meshes_of(model)) < 16:
        yield _SKY


@crash("mesh pointers")
def mesh_pointers(raw: Raw) -> Places:
    if any(pointer >= len(raw.level.mesh_data) for pointer in raw.pointers):
        yield 0
