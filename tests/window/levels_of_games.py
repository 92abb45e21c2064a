"""File names of the generated levels, as in the games, of an animation, and the tiles of a tile set."""

NAMES = {
    "TR5": "Andrea1.trc",
    "TR4": "angkor1.tr4",
    "TR3": "JUNGLE.TR2",
    "TR2": "WALL.TR2",
    "TR1": "LEVEL1.PHD",
}

ANIMATION = "0012_WAVE.anim"
TILES = "tiles.png"
TILE = 64  # pixels
# The tiles from left to right.
TILE_COLORS = {
    "floor": (156, 116, 64),
    "ceiling": (90, 110, 210),
    "wall": (176, 176, 176),
    "side": (64, 168, 84),
    "top": (230, 210, 60),
    "slope": (210, 70, 60),
    "frame": (168, 70, 190),
    "lintel": (64, 190, 190),
}
# Of their quarters: top left, top right, bottom left, bottom right.
SHADES = (1.0, 0.8, 0.6, 0.4)
