"""Floor data by hand (chapter 4): the words of lists of functions, and their values.

Each list starts at the index next to it, without gaps. A word of a function is
``EndData << 15 | SubFunction << 8 | Function``, a trigger's setup ``Mask << 9 | OneShot << 8 | Timer``, an
action ``ContBit << 15 | TrigAction << 10 | Parameter``.
"""

from typing import NamedTuple

from io_tomb_raider.formats.levels.floor.functions import (
    Action,
    Beetle,
    Climb,
    Death,
    Deferred,
    Function,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
    Trigger,
)


class FloorList(NamedTuple):
    """One list: the index of its first word, its words, and its functions."""

    start: int
    words: tuple[int, ...]
    functions: tuple[Function, ...]


# The word 0 belongs to no list; the original converters left garbage there.
DUMMY = 0x5028

TR1_LISTS = (
    # 0x01 portal: the room
    FloorList(1, (0x8001, 0x0102), (Portal(0x102),)),
    # 0x02 floor slant, 0x03 ceiling slant: x in the low byte, z in the high byte, both signed
    FloorList(3, (0x0002, 0x02FD, 0x8003, 0xFB04), (Slant(False, -3, 2), Slant(True, 4, -5))),
    # 0x05 kill Lara
    FloorList(7, (0x8005,), (Death(),)),
    # 0x04 trigger, type 1 (pad), mask 21, one shot, timer 45, with every action that TR1 knows; a camera
    # takes a second word: its move's time << 9 | once << 8 | timer
    FloorList(
        8,
        (0x8104, 0x2B2D, 0x0011, 0x0412, 0x1307, 0x0813, 0x0C14, 0x1015, 0x1416, 0x1817, 0x1C18, 0x2019,
         0x241A, 0x281B, 0xAC1C),
        (Trigger(1, 45, True, 21, None, (
            Action(0, 0x11), Action(1, 0x12, 0x1307), Action(2, 0x13), Action(3, 0x14), Action(4, 0x15),
            Action(5, 0x16), Action(6, 0x17), Action(7, 0x18), Action(8, 0x19), Action(9, 0x1A),
            Action(10, 0x1B), Action(11, 0x1C))),),
    ),
    # type 2 (switch), after a slant: the first action's word is the switch
    FloorList(
        23,
        (0x0002, 0x0301, 0x8204, 0x3E00, 0x0021, 0x8022),
        (Slant(False, 1, 3), Trigger(2, 0, False, 31, 0x21, (Action(0, 0x22),))),
    ),
    # type 3 (key): the keyhole's word can be the last one
    FloorList(29, (0x8304, 0x3E05, 0x8023), (Trigger(3, 5, False, 31, 0x23),)),
    # type 4 (pickup), with a camera as the last action: its second word ends the list
    FloorList(
        32,
        (0x8404, 0x3E06, 0x0024, 0x0425, 0x8208),
        (Trigger(4, 6, False, 31, 0x24, (Action(1, 0x25, 0x208),)),),
    ),
    # types 5 (heavy), 6 (antipad), 7 (combat), 8 (dummy) and 0 (trigger)
    FloorList(37, (0x8504, 0x3E11, 0x8031), (Trigger(5, 17, False, 31, None, (Action(0, 0x31),)),)),
    FloorList(40, (0x8604, 0x3E12, 0x8032), (Trigger(6, 18, False, 31, None, (Action(0, 0x32),)),)),
    FloorList(43, (0x8704, 0x3E13, 0x8033), (Trigger(7, 19, False, 31, None, (Action(0, 0x33),)),)),
    FloorList(46, (0x8804, 0x3E14, 0x8034), (Trigger(8, 20, False, 31, None, (Action(0, 0x34),)),)),
    FloorList(49, (0x8004, 0x3E15, 0x8035), (Trigger(0, 21, False, 31, None, (Action(0, 0x35),)),)),
)  # fmt: skip

TR2_LISTS = (
    *TR1_LISTS,
    # 0x06 climbable walls: 1 is +z, 8 is -x
    FloorList(52, (0x8906,), (Climb(9),)),
    # types 9 (antitrigger), 10 (heavy switch) and 11 (heavy antitrigger)
    FloorList(53, (0x8904, 0x3E16, 0x8036), (Trigger(9, 22, False, 31, None, (Action(0, 0x36),)),)),
    FloorList(56, (0x8A04, 0x3E17, 0x8037), (Trigger(10, 23, False, 31, None, (Action(0, 0x37),)),)),
    FloorList(59, (0x8B04, 0x3E18, 0x8038), (Trigger(11, 24, False, 31, None, (Action(0, 0x38),)),)),
)

TR3_LISTS = (
    *TR2_LISTS,
    # 0x07 to 0x12 triangulations: H1 in bits 5-9, H2 in bits 10-14, both signed; then a nibble per corner
    FloorList(
        62,
        (0x07 | 0x1D << 5 | 5 << 10, 0x4321, 0x8009 | 3 << 5 | 0x1B << 10, 0x1234),
        (Triangulation(0x07, -3, 5, (1, 2, 3, 4)), Triangulation(0x09, 3, -5, (4, 3, 2, 1))),
    ),
    FloorList(
        66,
        (0x08 | 2 << 5 | 0x1F << 10, 0x8765, 0x800A | 0x10 << 5 | 15 << 10, 0x5678),
        (Triangulation(0x08, 2, -1, (5, 6, 7, 8)), Triangulation(0x0A, -16, 15, (8, 7, 6, 5))),
    ),
    FloorList(
        70,
        (0x0B, 0xCBA9, 0x800F | 1 << 5, 0x9ABC),
        (Triangulation(0x0B, 0, 0, (9, 10, 11, 12)), Triangulation(0x0F, 1, 0, (12, 11, 10, 9))),
    ),
    FloorList(
        74,
        (0x0C | 1 << 10, 0xFEDC, 0x8010, 0xCDEF),
        (Triangulation(0x0C, 0, 1, (12, 13, 14, 15)), Triangulation(0x10, 0, 0, (15, 14, 13, 12))),
    ),
    FloorList(
        78,
        (0x0D | 4 << 5, 0x0010, 0x8011 | 6 << 10, 0x0200),
        (Triangulation(0x0D, 4, 0, (0, 1, 0, 0)), Triangulation(0x11, 0, 6, (0, 0, 2, 0))),
    ),
    FloorList(
        82,
        (0x0E | 7 << 5 | 7 << 10, 0x3000, 0x8012 | 8 << 5 | 9 << 10, 0x0004),
        (Triangulation(0x0E, 7, 7, (0, 0, 0, 3)), Triangulation(0x12, 8, 9, (4, 0, 0, 0))),
    ),
    # 0x13 monkey swing, 0x14 and 0x15: in TR3 the mine cart turns left and right, and stops at both
    FloorList(86, (0x8013,), (MonkeySwing(),)),
    FloorList(87, (0x0014, 0x8015), (Deferred(), Beetle())),
    FloorList(89, (0x8015,), (Beetle(),)),
    # type 12 (monkey)
    FloorList(90, (0x8C04, 0x3E19, 0x8039), (Trigger(12, 25, False, 31, None, (Action(0, 0x39),)),)),
)

TR4_LISTS = (
    *TR3_LISTS,
    # action 12 (flyby) takes a second word, once << 8
    FloorList(
        93, (0x8104, 0x3EFE, 0x3041, 0x8100), (Trigger(1, 254, False, 31, None, (Action(12, 0x41, 0x100),)),)
    ),
    # the level editor's converter ended lists at a flyby's first word, and no second one follows
    FloorList(97, (0x8104, 0x3E1A, 0xB042), (Trigger(1, 26, False, 31, None, (Action(12, 0x42),)),)),
    # action 13 (cutscene)
    FloorList(100, (0x8104, 0x3E1B, 0xB443), (Trigger(1, 27, False, 31, None, (Action(13, 0x43),)),)),
)

TR5_LISTS = (
    *TR4_LISTS,
    # types 13 (skeleton), 14 (tightrope), 15 (crawl) and 16 (climb)
    FloorList(103, (0x8D04, 0x3E1C, 0x803A), (Trigger(13, 28, False, 31, None, (Action(0, 0x3A),)),)),
    FloorList(106, (0x8E04, 0x3E1D, 0x803B), (Trigger(14, 29, False, 31, None, (Action(0, 0x3B),)),)),
    FloorList(109, (0x8F04, 0x3E1E, 0x803C), (Trigger(15, 30, False, 31, None, (Action(0, 0x3C),)),)),
    FloorList(112, (0x9004, 0x3E1F, 0x803D), (Trigger(16, 31, False, 31, None, (Action(0, 0x3D),)),)),
)

# With TRNG's footer flipeffects and actions of type 11 take a second word too.
TRNG_LISTS = (
    FloorList(1, (0x8504, 0x3F00, 0x2460, 0x8001), (Trigger(5, 0, True, 31, None, (Action(9, 0x60, 1),)),)),
    FloorList(
        5,
        (0x8104, 0x3E02, 0x2C07, 0x0203, 0x8044),
        (Trigger(1, 2, False, 31, None, (Action(11, 7, 0x203), Action(0, 0x44))),),
    ),
)


def floor_words(lists: tuple[FloorList, ...]) -> list[int]:
    """Return FloorData[]: the dummy, then list after list."""
    return [DUMMY, *(word for each in lists for word in each.words)]
