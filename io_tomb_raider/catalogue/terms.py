"""The terms of floor data that all games share (documentation, chapters 3.2.3 and 4)."""

from __future__ import annotations

TRIGGERS = {
    0x00: "Trigger",
    0x01: "Pad",
    0x02: "Switch",
    0x03: "Key",
    0x04: "Pickup",
    0x05: "Heavy trigger",
    0x06: "Antipad",
    0x07: "Combat",
    0x08: "Dummy",
    0x09: "Antitrigger",
    0x0A: "Heavy switch",
    0x0B: "Heavy antitrigger",
    0x0C: "Monkey swing",
    0x0D: "Skeleton",
    0x0E: "Tightrope",
    0x0F: "Crawl",
    0x10: "Climb",
}

ACTIONS = {
    0x00: "Activate object",
    0x01: "Camera",
    0x02: "Underwater current",
    0x03: "Flip map",
    0x04: "Flip on",
    0x05: "Flip off",
    0x06: "Look at",
    0x07: "End level",
    0x08: "Play soundtrack",
    0x09: "Flipeffect",
    0x0A: "Secret found",
    0x0B: "Clear bodies",
    0x0C: "Flyby",
    0x0D: "Cutscene",
}

FUNCTIONS = {
    0x01: "Portal",
    0x02: "Floor slant",
    0x03: "Ceiling slant",
    0x04: "Trigger",
    0x05: "Death",
    0x06: "Climbable walls",
    0x07: "Floor split along (-x, +z), (+x, -z)",
    0x08: "Floor split along (-x, -z), (+x, +z)",
    0x09: "Ceiling split along (-x, +z), (+x, -z)",
    0x0A: "Ceiling split along (-x, -z), (+x, +z)",
    0x0B: "Floor split, open at (-x, -z)",
    0x0C: "Floor split, open at (+x, +z)",
    0x0D: "Floor split, open at (-x, +z)",
    0x0E: "Floor split, open at (+x, -z)",
    0x0F: "Ceiling split, open at (-x, -z)",
    0x10: "Ceiling split, open at (+x, +z)",
    0x11: "Ceiling split, open at (-x, +z)",
    0x12: "Ceiling split, open at (+x, -z)",
    0x13: "Monkey swing",
    0x14: "Deferred trigger",
    0x15: "Mechanical beetle",
}

MATERIALS = {
    0: "Mud",
    1: "Snow",
    2: "Sand",
    3: "Gravel",
    4: "Ice",
    5: "Water",
    6: "Stone",
    7: "Wood",
    8: "Metal",
    9: "Marble",
    10: "Grass",
    11: "Concrete",
    12: "Old wood",
    13: "Old metal",
}

# Modes of object textures (chapter 9.3.2), those that faces of levels rarely have included.
BLEND_MODES = {
    0: "Opaque",
    1: "Alpha",
    2: "Additive",
    3: "Inverted",
    4: "No Depth Test",
    5: "Subtractive",
    6: "Wireframe",
    7: "Fading",
}

# Colors of fog bulbs by the timer of triggers with the flipeffect "Set fog color" (chapter 3.2.4).
FOG_COLORS = {
    0: ("Black", (0, 0, 0)),
    1: ("Amber", (245, 200, 60)),
    2: ("Light green", (120, 196, 112)),
    3: ("Lavender", (202, 204, 230)),
    4: ("Brown", (128, 64, 0)),
    5: ("Dark gray", (64, 64, 64)),
    6: ("White", (243, 232, 236)),
    7: ("Blue", (0, 64, 192)),
    8: ("Green", (0, 128, 0)),
    9: ("Greenish gray", (150, 172, 157)),
    10: ("Gray", (128, 128, 128)),
    11: ("Tan", (204, 163, 123)),
    12: ("Brownish gray", (177, 162, 140)),
    13: ("Turquoise", (0, 223, 191)),
    14: ("Light turquoise", (111, 255, 223)),
    15: ("Wheat", (244, 216, 152)),
    16: ("Gold", (248, 192, 60)),
    17: ("Red", (252, 0, 0)),
    18: ("Dull red", (198, 95, 87)),
    19: ("Salmon", (226, 151, 118)),
    20: ("Ivory", (248, 235, 206)),
    21: ("Dark green", (0, 30, 16)),
    22: ("Light orange", (250, 222, 167)),
    23: ("Sand", (218, 175, 117)),
    24: ("Mustard", (225, 191, 78)),
    25: ("Teal", (77, 140, 141)),
    26: ("Sea green", (4, 181, 154)),
    27: ("Orange", (255, 174, 0)),
}
NO_FOG = 100  # turns fog bulbs off
FOG_NAMES = {number: name for number, (name, _) in FOG_COLORS.items()} | {NO_FOG: "No fog"}
