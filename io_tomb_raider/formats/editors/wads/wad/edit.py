"""Export of an edited level to the WAD that it was made from; unedited data keep their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Ints
from ....base.bytes.records import SPRITE_TEXTURE, U8, U16, U32
from ....base.errors import ExportError
from ....base.games import Game
from ....base.messages import T
from ....levels.level.level import Level
from ....levels.meshes.meshes import Mesh, decode_meshes, encode_block
from ....levels.textures.blending import ADDITIVE_EFFECT, BlendMode
from ....levels.textures.object_textures import TRIANGLE_BIT
from ....levels.textures.sprites import decode_sprites
from ....levels.textures.textiles import MAGENTA, PAGE_SIZE
from .level import SHARED, WadLevel
from .meshes import decode_wad_meshes, encode_wad_mesh
from .order import in_model_order
from .samples import find_uses
from .swd import Swd, empty_swd, encode_swd_sprites
from .textures import PAGE_BYTES, TextureUses, encode_texture_words
from .wad import Wad

_GAME = Game.TR4
_WORD_MASK = 0x7FFF
_RGBA = [2, 1, 0, 3]
_OPAQUE = 128


class EditedWad(NamedTuple):
    """The files of an edited level."""

    wad: Wad  #: its models, static meshes and textures.
    swd: Swd | None  #: its sprites; None without any before and after.
    #: the number of faces that show another part of their picture: a WAD has only rectangles and their
    #: halves.
    approximated: int


def edit_wad(origin: WadLevel, level: Level) -> EditedWad:
    """Return the WAD and SWD of an edited level.

    Args:
        level: that level, edited, of TR4.

    Raises:
        ExportError: if a WAD cannot store it.
        FormatError: if the level is damaged.
    """
    if level.game is not _GAME:
        raise ExportError("WAD", T("its objects are those of TR4: export a level of that game"))
    if not _is_same(origin.level, level):
        level = in_model_order(level)
    wad = Wad()
    wad.__dict__.update(origin.wad.__dict__)
    for name in SHARED:
        if getattr(level, name).tobytes() != getattr(origin.level, name).tobytes():
            setattr(wad, name, getattr(level, name))
    wad.animations = _animations(origin, level)
    pages = _Pages(origin, level)
    approximated = _edit_meshes(wad, origin, level, pages)
    wad.page_data = pages.wad_data()
    return EditedWad(wad, _edit_sprites(origin, level, pages), approximated)


def _is_same(old: Level, new: Level) -> bool:
    """Return whether models and animations are unchanged, so that a file with an unusual order keeps it."""
    names = ("models", "animations", "frames")
    return all(getattr(old, name).tobytes() == getattr(new, name).tobytes() for name in names)


def _animations(origin: WadLevel, level: Level) -> NDArray[np.void]:
    """Return animations; those of a single frame again end before they begin, as in the original."""
    old, new = origin.level.animations, level.animations
    if new.tobytes() == old.tobytes():
        return origin.wad.animations
    result = new.copy()
    count = min(len(old), len(new))
    ticks = [each["last_frame"][:count] - each["first_frame"][:count] for each in (old, new)]
    is_reversed = origin.wad.animations["last_frame"][:count] != old["last_frame"][:count]
    is_reversed &= ticks[0] == ticks[1]
    result["last_frame"][:count][is_reversed] -= 1
    return result


# --- Pages -------------------------------------------------------------------------------------


class _Pages:
    """The assignment of the level's pages to files, and their bytes."""

    def __init__(self, origin: WadLevel, level: Level) -> None:
        self._origin = origin
        self._pages, self._old_pages = level.textiles32, origin.level.textiles32
        wad_count, sprites = origin.pages, len(self._old_pages)
        self.wad = [page for page in range(wad_count) if page < len(self._pages)]
        self.swd = [page for page in range(wad_count, sprites) if page < len(self._pages)]

    def in_wad(self, page: int) -> int:
        """Return the number of a page in the WAD, adding it if necessary."""
        return self._number(self.wad, page)

    def in_swd(self, page: int) -> int:
        """Return the number of a page in the SWD, adding it if necessary."""
        return self._number(self.swd, page)

    def _number(self, pages: list[int], page: int) -> int:
        if page not in pages:
            if page >= len(self._pages):
                return _WORD_MASK
            pages.append(page)
        return pages.index(page)

    def wad_data(self) -> NDArray[np.uint8]:
        """Return the pages of the WAD."""
        return self._data(self.wad, self._origin.wad.page_data, 0)

    def swd_data(self, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the pages of the SWD, given its original bytes."""
        return self._data(self.swd, data, self._origin.pages)

    def _data(self, pages: Sequence[int], data: NDArray[np.uint8], first: int) -> NDArray[np.uint8]:
        count = -(-len(data) // PAGE_BYTES)
        is_same = list(pages) == list(range(first, first + count))
        if is_same and np.array_equal(
            self._pages[first : first + count], self._old_pages[first : first + count]
        ):
            return data
        rows = np.zeros((len(pages), PAGE_BYTES), U8)
        for row_number, page in enumerate(pages):
            row, number = rows[row_number], page - first
            changed = np.ones((PAGE_SIZE, PAGE_SIZE), np.bool_)
            if 0 <= number < count:
                old = data[number * PAGE_BYTES : (number + 1) * PAGE_BYTES]
                row[: len(old)] = old
                changed = (self._pages[page] != self._old_pages[page]).any(axis=-1)
            rgba = self._pages[page][..., _RGBA]
            rgb = np.where(rgba[..., 3:] < _OPAQUE, np.array(MAGENTA, U8), rgba[..., :3])
            row.reshape(PAGE_SIZE, PAGE_SIZE, 3)[changed] = rgb[changed]
        return rows.reshape(-1)


# --- Meshes ------------------------------------------------------------------------------------


def _edit_meshes(wad: Wad, origin: WadLevel, level: Level, pages: _Pages) -> int:
    """Set meshes and texture samples; return the number of approximated faces."""
    before = decode_meshes(_GAME, origin.level.mesh_data, origin.level.mesh_pointers)
    after = decode_meshes(_GAME, level.mesh_data, level.mesh_pointers)
    keeps_texture = _kept_words(origin.level.object_textures, level.object_textures, pages)
    has_same_meshes = [mesh.raw for mesh in before.meshes] == [mesh.raw for mesh in after.meshes]
    if (
        has_same_meshes
        and np.array_equal(before.pointers, after.pointers)
        and keeps_texture[: len(origin.uses)].all()
    ):
        return 0
    wad_block = decode_wad_meshes(origin.wad.mesh_data, origin.wad.mesh_pointers)
    raws = {mesh.raw: number for number, mesh in enumerate(before.meshes)}
    old_numbers = [raws.get(mesh.raw, -1) for mesh in after.meshes]
    keeps = [
        number >= 0 and bool(keeps_texture[_words(mesh)].all())
        for mesh, number in zip(after.meshes, old_numbers, strict=True)
    ]
    changed = [mesh for mesh, is_kept in zip(after.meshes, keeps, strict=True) if not is_kept]
    # Unchanged meshes keep their words, so all samples keep their numbers.
    used = np.unique(np.concatenate([np.zeros(0, np.int64), *(_words(mesh) for mesh in changed)]))
    rows = used[~keeps_texture[used]]
    uses = find_uses(level.object_textures[rows], wad.texture_samples, pages.in_wad)
    wad.texture_samples = uses.samples
    words = np.zeros(len(level.object_textures), np.int64)
    turns = np.zeros(len(words), np.int64)
    words[keeps_texture] = origin.uses[np.flatnonzero(keeps_texture)] & 0xFFFF
    is_triangle = level.object_textures["page"][rows] & TRIANGLE_BIT != 0
    words[rows] = encode_texture_words(TextureUses(uses.sample, uses.mirrored, uses.orientation), is_triangle)
    turns[rows] = uses.turn
    exact = np.ones(len(words), np.bool_)
    exact[rows] = uses.exact
    additive = level.object_textures["attribute"] == BlendMode.ADDITIVE
    additive[: len(origin.uses)] &= ~keeps_texture[: len(origin.uses)]
    encoded = []
    for number, (mesh, is_kept) in enumerate(zip(after.meshes, keeps, strict=True)):
        if is_kept:
            encoded.append(wad_block.meshes[old_numbers[number]].raw)
        else:
            encoded.append(_encode(mesh, words, turns, additive, f"mesh {number}"))
    wad.mesh_data, wad.mesh_pointers = encode_block(encoded, after.pointers)
    wad.mesh_pointers = wad.mesh_pointers.astype(U32)
    return sum(int((~exact[_words(mesh)]).sum()) for mesh in changed)


def _words(mesh: Mesh) -> Ints:
    words = np.concatenate([mesh.quads["texture"], mesh.triangles["texture"]])
    return words.astype(np.int64) & _WORD_MASK


def _kept_words(before: NDArray[Any], after: NDArray[Any], pages: _Pages) -> Bools:
    """Return which object textures are unchanged, (after,)."""
    result = np.zeros(len(after), np.bool_)
    count = min(len(before), len(after))
    is_same = (after["uv"][:count] == before["uv"][:count]).all(axis=(1, 2))
    for name in ("attribute", "page"):
        is_same &= after[name][:count] == before[name][:count]
    # Texels are not compared: a WAD derives transparency from them.
    result[:count] = is_same
    return result


def _encode(mesh: Mesh, words: Ints, turns: Ints, additive: Bools, name: str) -> bytes:
    """Return a mesh with the words of a WAD, its faces rotated to begin where their rectangles do."""
    faces = []
    for records in (mesh.quads, mesh.triangles):
        result = records.copy()
        numbers = records["texture"].astype(np.int64) & _WORD_MASK
        corners = records["vertices"].shape[1]
        order = (np.arange(corners) + turns[numbers][:, None]) % corners
        result["vertices"] = np.take_along_axis(records["vertices"], order, axis=1)
        result["texture"] = words[numbers].astype(U16)
        result["effects"] |= np.where(additive[numbers], ADDITIVE_EFFECT.mask, 0).astype(U16)
        faces.append(result)
    return encode_wad_mesh(mesh, faces[0], faces[1], name)


# --- Sprites -----------------------------------------------------------------------------------


def _edit_sprites(origin: WadLevel, level: Level, pages: _Pages) -> Swd | None:
    """Return the SWD."""
    swd = origin.swd
    if swd is None and not len(level.sprite_textures):
        return None
    result = Swd()
    result.__dict__.update((swd or empty_swd(origin.wad.version)).__dict__)
    sequences = origin.level.sprite_sequences
    if level.sprite_sequences.tobytes() != sequences.tobytes():
        result.sequences = level.sprite_sequences
    old = origin.level.sprite_textures
    if level.sprite_textures.tobytes() != old.tobytes():
        sprites = decode_sprites(level.sprite_textures, _GAME)
        page = np.array([pages.in_swd(number) for number in sprites.page.tolist()], np.int64)
        records = encode_swd_sprites(page, sprites.rect)
        count = min(len(old), len(records))
        is_same = level.sprite_textures[:count] == old[:count].astype(SPRITE_TEXTURE)
        records[:count][is_same] = result.sprites[:count][is_same]
        result.sprites = records
    result.page_data = pages.swd_data(result.page_data)
    return result
