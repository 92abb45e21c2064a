"""File names of the generated levels, as in the games."""

NAMES = {
    "TR5": "Andrea1.trc",
    "TR4": "angkor1.tr4",
    "TR3": "JUNGLE.TR2",
    "TR2": "WALL.TR2",
    "TR1": "LEVEL1.PHD",
}
