"""Rules of textures, sprites and animated textures."""

from __future__ import annotations

from .raw import Places, Raw, crash

_PAGE = 256  # pixels
_MOST_TEXTURES = {1: 2048, 2: 2048, 3: 4096, 4: 32767, 5: 16383}


def _groups(raw: Raw) -> list[list[int]] | None:
    """Return the textures of each animated texture, or None if the words end before."""
    words = raw.level.animated_textures.tolist()
    if not words:
        return None
    result, at = [], 1
    for _ in range(words[0]):
        if at >= len(words) or at + 2 + words[at] > len(words):
            return None
        result.append(words[at + 1 : at + 2 + words[at]])
        at += 2 + words[at]
    return result


@crash("texture pages")
def texture_pages(raw: Raw) -> Places:
    level = raw.level
    count = len(level.textiles32) or len(level.textiles16) if raw.game >= 4 else len(level.textiles8)
    mask = 0x7FFF if raw.game >= 4 else 0xFFFF
    pages = [page & mask for page in level.object_textures["page"].tolist()]
    pages += level.sprite_textures["page"].tolist()
    if any(page >= count for page in pages):
        yield 0


@crash("shared textures")
def shared_textures(raw: Raw) -> Places:
    level = raw.level
    mesh_mask = 0xFFFF if raw.game < 3 else 0x7FFF
    room_mask = 0x3FFF if raw.game == 5 else mesh_mask

    def of_pointers(numbers: list[int]) -> set[int]:
        offsets = {raw.pointers[number] for number in numbers if number < len(raw.pointers)}
        meshes = [raw.meshes[offset] for offset in offsets if offset in raw.meshes]
        return {texture & mesh_mask for mesh in meshes for _, texture, _ in mesh.faces}

    models = of_pointers(
        [model["first_mesh"] + number for model in raw.models for number in range(model["meshes"])]
    )
    others = of_pointers(level.static_meshes["mesh"].tolist())
    others |= {texture for group in _groups(raw) or () for texture in group}
    for room in level.rooms:
        for faces in (room.quads, room.triangles):
            others |= {texture & room_mask for texture in faces["texture"].tolist()}
    if len({texture for texture in models & others if texture < len(level.object_textures)}) > 256:
        yield 0


@crash("sprite sequences")
def sprite_sequences(raw: Raw) -> Places:
    for record in raw.level.sprite_sequences:
        first, length = int(record["first"]), -int(record["negative_length"])
        if length <= 0 or first < 0 or first + length > len(raw.level.sprite_textures):
            yield 0


@crash("sprite rectangles", "123")
def sprite_rectangles(raw: Raw) -> Places:
    for record in raw.level.sprite_textures:
        for start, size in (("x", "width"), ("y", "height")):
            if int(record[start]) + (int(record[size]) >> 8) >= _PAGE:
                yield 0


@crash("number of sprites", "123")
def number_of_sprites(raw: Raw) -> Places:
    if len(raw.level.sprite_textures) > 512:
        yield 0


@crash("animated textures")
def animated_textures(raw: Raw) -> Places:
    if _groups(raw) is None:
        yield 0


@crash("scrolling textures", "45")
def scrolling_textures(raw: Raw) -> Places:
    groups = (_groups(raw) or [])[: raw.level.uv_rotates]
    if len(groups) > 16 or any(len(group) > 8 for group in groups):
        yield 0


@crash("number of textures")
def number_of_textures(raw: Raw) -> Places:
    if len(raw.level.object_textures) > _MOST_TEXTURES[raw.game]:
        yield 0
