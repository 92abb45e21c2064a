"""The water of a kit for new rooms: an animated texture with an image of its own.

The kit's rooms are not imported, nor are the textures that only rooms use, so the water is imported
separately.
"""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Collection

from ...formats import Game
from ...formats.edits.new_levels import WaterLook
from ...formats.levels.textures import BlendMode, encode_png
from ..core.blender import compat
from ..core.blender.color import bytes_to_linear
from ..subjects.object_textures.animation_tools import add_group
from ..subjects.textures.materials import play_in, prefixed, surface_mode
from ..subjects.textures.shader import build_surface, surface_group

_NAME = "Water"


def import_water(root: Collection, look: WaterLook) -> None:
    """Make water surfaces of a level look like those of a kit, if the game supports it."""
    game, name = Game[root.tomb_raider.game], prefixed(root.name, _NAME)
    attribute = look.attribute
    if attribute == BlendMode.ADDITIVE and not game.traits.has_additive_blending:
        return  # the water would be opaque
    count, height, width = look.pictures.shape[:3]
    image = bpy.data.images.new(name, count * width, height)
    # Next to each other, so that the material shows one image.
    png = encode_png(np.concatenate(list(look.pictures), axis=1))
    image.pack(data=png, data_len=len(png))
    image.source = "FILE"
    image.filepath_raw = f"//{bpy.path.clean_name(name)}.png"  # the place where Blender would unpack it
    material = bpy.data.materials.new(name)
    opaque = look.pictures[look.pictures[..., 3] > 0][:, :3]
    mean = opaque.mean(axis=0) if len(opaque) else np.zeros(3)
    red, green, blue = bytes_to_linear(np.rint(mean).astype(np.uint8)).tolist()
    build_surface(material, surface_group(game), surface_mode(attribute), image, (red, green, blue))
    compat.cull_back_faces(material, True)
    material.tomb_raider.attribute = attribute
    if count > 1:
        group = add_group(root)
        group.name = _NAME
        for place in range(count):
            left, right = place * width, (place + 1) * width
            frame = group.frames.add()
            frame.image, frame.attribute = image, attribute
            frame.corners = (left, 0, right, 0, right, height, left, height)
        material.tomb_raider.animation = group.uid
        play_in(root, material, group.uid, image)
    surface = root.tomb_raider.water_surface
    surface.material = material
    share = 1 / count
    surface.corners = (0, 0, share, 0, share, 1, 0, 1)
