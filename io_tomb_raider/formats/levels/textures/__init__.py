"""Textures and sprites: pages, palettes, object textures (chapters 5.6, 9.2 to 9.4)."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .animated import (
        MOST_SCROLLING_FRAMES,
        MOST_SCROLLING_GROUPS,
        decode_animated,
        encode_animated,
        group_labels,
    )
    from .blending import ADDITIVE_EFFECT, SHINE_EFFECT, SHINE_STRENGTH, BlendMode, most_blending
    from .coordinates import (
        RAW_PER_PIXEL,
        mapping_correction,
        outside_page,
        raw_to_uv,
        snap_to_pixels,
        turn_corners,
        uv_to_raw,
    )
    from .face_words import (
        DOUBLE_SIDED,
        color_index,
        color_words,
        is_double_sided,
        marked_words,
        mesh_texture_mask,
        room_texture_mask,
        texture_index,
    )
    from .light_map import follow_palette, nearest_rgb_entries
    from .object_textures import (
        MOST_TEXTURES,
        TOO_MANY,
        Assignment,
        FaceTextures,
        ObjectTextureTable,
        decode_object_textures,
    )
    from .old_images import OLD_IMAGES, decode_old_image
    from .packing import Placements, pack, page_numbers, used_pixels
    from .png import compress_png, encode_png
    from .sprites import FIRST_ROOM_SPRITES, Sprites, decode_sprites, encode_sprites
    from .textiles import (
        PAGE_SIZE,
        Pages,
        U8Array,
        changed_pixels,
        clear_magenta,
        decode_pages,
        decode_pages32,
        encode_edits,
        encode_pages,
        encode_pages8,
        encode_pages16,
        encode_pages32,
        expand_palette,
        key_palette,
        nearest_entries,
    )
    from .tiles import Beyond, CutImage, cut_image, draw_tiles, place_corners
else:
    __getattr__ = lazy_exports(__name__)
