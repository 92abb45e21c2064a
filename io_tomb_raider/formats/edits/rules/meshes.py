"""Rules of meshes and of the pointers to them."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Ints
from ...base.games import LARA
from ...base.messages import N_
from ...levels.meshes.meshes import Mesh
from ...levels.views.decoded import Decoded
from .needs import HAIR, JOINTS, LARAS_MESHES, SKIES, SKIN, WATERFALLS
from .rule import (
    ALL,
    CROFTENGINE,
    ENGINES,
    EVERYONE,
    NO_PLACES,
    OPENLARA,
    OPENTOMB,
    ORIGINAL,
    TR3,
    TR4,
    TR5,
    Harm,
    Places,
    Rule,
    once_if,
    where,
)
from .view import model_meshes, model_rows

_MOST_MESHES = 1024
_MOST_VERTICES = 255
_SHINY = 2
_LEAST_HAIR = 5
_SKY_TRIANGLES = 16
_JOINT_VERTICES = 32


def _order(checked: Decoded) -> Places:
    pointers = checked.level.mesh_pointers.astype(np.int64)
    if not len(pointers):
        return NO_PLACES
    values, first = np.unique(pointers, return_index=True)
    in_order = values[np.argsort(first)]
    return once_if(pointers[0] != 0 or (np.diff(in_order) < 0).any())


def _first_pointer(checked: Decoded) -> int | None:
    models, pointers = checked.level.models, checked.level.mesh_pointers
    if not len(models) or not models["meshes"][0] or int(models["first_mesh"][0]) >= len(pointers):
        return None
    return int(pointers[models["first_mesh"][0]])


def _dummy_of_first(checked: Decoded) -> Places:
    first = _first_pointer(checked)
    if first is None:
        return NO_PLACES
    pointers = checked.level.mesh_pointers
    rows, meshes = model_meshes(checked)
    skins = model_rows(checked, SKIN[checked.level.game])
    uses = (pointers[meshes] == first) & np.isin(rows, skins)
    has_faces = _face_counts(checked)[checked.meshes.pointers[meshes]] > 0
    return checked.level.models["id"][rows[uses & has_faces]].astype(np.int64)


def _face_counts(checked: Decoded) -> Ints:
    faces = [
        (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles)
        for mesh in checked.meshes.meshes
    ]
    return np.array([sum(map(len, lists)) for lists in faces], np.int64)


def _static_of_first(checked: Decoded) -> Places:
    level, first = checked.level, _first_pointer(checked)
    if first is None or not len(level.static_meshes):
        return NO_PLACES
    meshes = np.minimum(level.static_meshes["mesh"].astype(np.int64), len(level.mesh_pointers) - 1)
    has_faces = _face_counts(checked)[checked.meshes.pointers[meshes]] > 0
    is_first = (level.mesh_pointers[meshes] == first) & has_faces
    return np.unique(checked.meshes.pointers[meshes[is_first]]).astype(np.int64)


def _count(checked: Decoded) -> Places:
    return once_if(len(checked.meshes.meshes) > _MOST_MESHES)


def _many_vertices(checked: Decoded) -> Places:
    return where(np.array([len(mesh.vertices) > _MOST_VERTICES for mesh in checked.meshes.meshes], np.bool_))


def _no_normals(checked: Decoded) -> Places:
    def fits(mesh: Mesh) -> bool:
        shades = mesh.normals if mesh.normals is not None else mesh.lights
        return shades is not None and len(shades) == len(mesh.vertices)

    return where(np.array([not fits(mesh) for mesh in checked.meshes.meshes], np.bool_))


def _gaps(checked: Decoded) -> Places:
    offsets = np.unique(checked.level.mesh_pointers.astype(np.int64))
    return once_if((offsets % 4 != 0).any())


def _has_lara(checked: Decoded) -> bool:
    return LARA in checked.level.models["id"]


def _hair(checked: Decoded) -> Places:
    if not _has_lara(checked):
        return NO_PLACES
    rows = model_rows(checked, HAIR)
    return once_if(not len(rows) or int(checked.level.models["meshes"][rows[0]]) < _LEAST_HAIR)


def _joints(checked: Decoded) -> Places:
    rows = model_rows(checked, JOINTS)
    if not len(rows) or not _has_lara(checked):
        return NO_PLACES
    model = checked.level.models[rows[0]]
    first = int(model["first_mesh"])
    numbers = checked.meshes.pointers[first : first + int(model["meshes"])]
    many = [len(checked.meshes.meshes[number].vertices) > _JOINT_VERTICES for number in numbers.tolist()]
    return once_if(int(model["meshes"]) != LARAS_MESHES or any(many))


def _waterfalls(checked: Decoded) -> Places:
    level, result = checked.level, []
    for slot in WATERFALLS[level.game]:
        for row in model_rows(checked, slot).tolist():
            first = int(level.models["first_mesh"][row])
            if level.models["meshes"][row] and first < len(checked.meshes.pointers):
                mesh = checked.meshes.meshes[int(checked.meshes.pointers[first])]
                if not len(mesh.quads):
                    result.append(slot)
    return np.array(result, np.int64)


def _sky(checked: Decoded) -> Places:
    level, result = checked.level, []
    for slot in SKIES[level.game]:
        for row in model_rows(checked, slot).tolist():
            first, count = (int(level.models[name][row]) for name in ("first_mesh", "meshes"))
            numbers = np.unique(checked.meshes.pointers[first : first + count])
            triangles = sum(
                len(checked.meshes.meshes[number].colored_triangles) for number in numbers.tolist()
            )
            if 0 < triangles < _SKY_TRIANGLES:
                result.append(slot)
    return np.array(result, np.int64)


def _pointers(checked: Decoded) -> Places:
    return once_if((checked.level.mesh_pointers >= max(len(checked.level.mesh_data), 1)).any())


RULES = (
    Rule(
        "mesh order",
        Harm.CRASH,
        ALL,
        (OPENTOMB,),
        N_(
            "OpenTomb crashes: meshes are not in the order of their first use. Export with Rebuild Everything"
        ),
        _order,
    ),
    Rule(
        "first mesh",
        Harm.MISSING,
        TR3 | TR4 | TR5,
        (OPENLARA,),
        N_(
            "OpenLara does not draw {count} of its meshes, such as Lara's hips: it is the first mesh of the "
            "level. Export with Rebuild Everything"
        ),
        _dummy_of_first,
        "model",
    ),
    Rule(
        "first mesh of statics",
        Harm.MISSING,
        ALL,
        (OPENLARA,),
        N_("OpenLara does not draw it: it is the first mesh of the level. Export with Rebuild Everything"),
        _static_of_first,
        "mesh",
    ),
    Rule(
        "number of meshes",
        Harm.CRASH,
        ALL,
        (OPENLARA,),
        N_("OpenLara ends: it has memory for 1,024 meshes. Delete models or share meshes"),
        _count,
    ),
    Rule(
        "vertices of a mesh",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game reads it wrongly: it has more than 255 vertices. Split it"),
        _many_vertices,
        "mesh",
        holds_in_trng=False,
    ),
    Rule(
        "normals",
        Harm.CRASH,
        ALL,
        (CROFTENGINE, OPENTOMB, OPENLARA),
        N_("engines end: it does not have a normal or a light for every vertex"),
        _no_normals,
        "mesh",
    ),
    Rule(
        "mesh alignment",
        Harm.WRONG,
        ALL,
        (OPENTOMB, OPENLARA),
        N_("engines read meshes wrongly: they do not begin at multiples of 4 bytes"),
        _gaps,
    ),
    Rule(
        "mesh textures",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: some of its faces have textures that do not exist",
        None,
        "mesh",
    ),
    Rule(
        "shine on lit meshes",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        "the original game ends: it is shiny and has light instead of normals. Use Remove Shine",
        None,
        "mesh",
    ),
    Rule(
        "hair",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_(
            "the original game damages Lara's meshes: there is no hair of five meshes or more (model 30). "
            "Append it, or dummies"
        ),
        _hair,
    ),
    Rule(
        "joints",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_(
            "the original game overwrites other memory: Lara's joints (model 9) have as many meshes as Lara, "
            "with at most 32 vertices each"
        ),
        _joints,
    ),
    Rule(
        "waterfall quad",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game ends: the first mesh of a waterfall needs a textured quad"),
        _waterfalls,
        "model",
    ),
    Rule(
        "sky triangles",
        Harm.CRASH,
        TR3,
        (OPENTOMB, ORIGINAL),
        N_("OpenTomb crashes: a sky has no colored triangles, or 16 and more"),
        _sky,
        "model",
    ),
    Rule(
        "mesh pointers",
        Harm.CRASH,
        ALL,
        ENGINES,
        N_("engines read other memory: there are pointers outside of the meshes"),
        _pointers,
    ),
    Rule(
        "vertices of faces",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: its faces have vertices that do not exist",
        None,
        "mesh",
    ),
)
