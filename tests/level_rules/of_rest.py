"""Rules of boxes, cameras, entities and sounds."""

from __future__ import annotations

from itertools import pairwise

from .of_floor import SLOPES
from .raw import END, NO_ROOM, SECTOR, WALL, Places, Raw, crash

_NO_LIST, _NO_LIST_11 = 0x3FFF, 0x7FF
_SLOTS = {1: 191, 2: 265, 3: 377, 4: 520, 5: 520}
_HELPERS = {5: (434, 446)}  # of Tomb Editor, without a place
_TRACKS_LARA, _LOOKS_AT = 8, 2
_AI = range(74, 82)
_ROPE = 146
_MOST_DEMO = {1: 36000, 2: 36000, 3: 14432}


# --- Boxes ----------------------------------------------------------------------------------------


@crash("boxes")
def boxes(raw: Raw) -> Places:
    if raw.level.rooms and not len(raw.level.boxes):
        yield 0


@crash("size of boxes")
def size_of_boxes(raw: Raw) -> Places:
    for record in raw.level.boxes:
        for axis in "xz":
            low, high = int(record[f"{axis}_min"]), int(record[f"{axis}_max"])
            if raw.game > 1:
                wrong = low >= high
            else:  # in units; some editors write the first unit behind the box instead of its last one
                wrong = high - low < SECTOR - 1 or low % SECTOR != 0 or high % SECTOR not in (0, SECTOR - 1)
            if wrong:
                yield 0


@crash("overlap lists")
def overlap_lists(raw: Raw) -> Places:
    words = raw.level.overlaps.tolist()
    mask, none = (0x7FFF, (_NO_LIST,)) if raw.game < 3 else (0x7FF, (_NO_LIST, _NO_LIST_11))
    for record in raw.level.boxes:
        at = int(record["overlap"]) & _NO_LIST
        if at in none:
            continue
        while at < len(words) and words[at] & mask < len(raw.level.boxes) and not words[at] & END:
            at += 1
        if at >= len(words) or words[at] & mask >= len(raw.level.boxes):
            yield 0


# --- Cameras --------------------------------------------------------------------------------------


@crash("number of flybys", "45", in_trng=False)
def number_of_flybys(raw: Raw) -> Places:
    sequences = raw.level.flyby_cameras["sequence"].tolist()
    cameras, most = (128, 8) if raw.game == 4 else (256, 16)
    if len(sequences) > cameras or any(sequence >= most for sequence in sequences):
        yield 0


@crash("tracking flybys", "45")
def tracking_flybys(raw: Raw) -> Places:
    cameras = raw.level.flyby_cameras
    for sequence in set(cameras["sequence"].tolist()):
        flags = cameras["flags"][cameras["sequence"] == sequence].tolist()
        if flags[0] & _TRACKS_LARA and len(flags) > 16:
            yield 0


@crash("target of flybys", "45")
def target_of_flybys(raw: Raw) -> Places:
    for camera in raw.level.flyby_cameras:
        if camera["flags"] & _LOOKS_AT and camera["timer"] >= len(raw.level.entities):
            yield 0


# --- Entities -------------------------------------------------------------------------------------


@crash("number of entities", in_trng=False)
def number_of_entities(raw: Raw) -> Places:
    if len(raw.level.entities) > 256:
        yield 0


@crash("entity outside")
def entity_outside(raw: Raw) -> Places:
    for number, entity in enumerate(raw.level.entities):
        if int(entity["type"]) in _HELPERS.get(raw.game, ()):
            continue
        if raw.at(int(entity["room"]), int(entity["x"]), int(entity["z"])) is None:
            yield number


@crash("entity type", in_trng=False)
def entity_type(raw: Raw) -> Places:
    for number, entity in enumerate(raw.level.entities):
        if not 0 <= entity["type"] < _SLOTS[raw.game]:
            yield number


@crash("start of Lara")
def start_of_lara(raw: Raw) -> Places:
    for number, entity in enumerate(raw.level.entities):
        if entity["type"] != 0:
            continue
        record = raw.at(int(entity["room"]), int(entity["x"]), int(entity["z"]))
        if record is None:
            continue  # outside
        # A slope is lower or higher than the sector's height; another room may go on behind.
        is_sloped = any(each.kind in SLOPES for each in raw.functions(record))
        slack = 5 * SECTOR if is_sloped else SECTOR
        floor, ceiling, y = 256 * int(record["floor"]), 256 * int(record["ceiling"]), int(entity["y"])
        below = record["room_below"] == NO_ROOM and y > floor + slack
        above = record["room_above"] == NO_ROOM and y < ceiling - slack
        if record["floor"] == WALL or below or above:
            yield number


@crash("triggered AI objects", "3")
def triggered_ai_objects(raw: Raw) -> Places:
    entities = raw.level.entities
    for _, trigger in raw.triggers:
        numbers = [parameter for kind, parameter in trigger.actions if kind == 0]
        numbers += [] if trigger.reference is None else [trigger.reference]
        yield from (each for each in numbers if each < len(entities) and int(entities["type"][each]) in _AI)


@crash("ropes", "45")
def ropes(raw: Raw) -> Places:
    if raw.level.entities["type"].tolist().count(_ROPE) > (5 if raw.game == 4 else 8):
        yield 0


# --- Sounds and the rest --------------------------------------------------------------------------


def _sample_count(raw: Raw) -> int:
    level = raw.level
    return len(level.sample_indices) if level.has("sample_indices") else level.sample_count


@crash("some sound")
def some_sound(raw: Raw) -> Places:
    if not len(raw.level.sound_details) or not _sample_count(raw):
        yield 0


@crash("sound map")
def sound_map(raw: Raw) -> Places:
    if max(raw.level.sound_map.tolist(), default=-1) >= len(raw.level.sound_details):
        yield 0


@crash("order of waves", "1")
def order_of_waves(raw: Raw) -> Places:
    data, offsets = raw.level.sample_data.tobytes(), raw.level.sample_indices.tolist()
    falls = any(later <= former for former, later in pairwise(offsets))
    if falls or any(data[offset : offset + 4] != b"RIFF" for offset in offsets):
        yield 0


@crash("sample indices", "4")
def sample_indices(raw: Raw) -> Places:
    if len(raw.level.sample_indices) < raw.level.sample_count:
        yield 0


@crash("size of samples", "45", in_trng=False)
def size_of_samples(raw: Raw) -> Places:
    data, at = raw.level.samples.tobytes(), 0
    for number in range(raw.level.sample_count):
        unpacked, packed = (int.from_bytes(data[at + skip : at + skip + 4], "little") for skip in (0, 4))
        if at + 8 > len(data):
            break
        if number >= 256 or packed > 262234 or not 33 <= unpacked <= 262176:
            yield 0
        at += 8 + packed


@crash("size of demo data", "123")
def size_of_demo_data(raw: Raw) -> Places:
    data = raw.level.demo_data.tobytes()
    if data and (data[-4:] != b"\xff\xff\xff\xff" or len(data) > _MOST_DEMO[raw.game]):
        yield 0


@crash("loudness", "12")
def loudness(raw: Raw) -> Places:
    if max(raw.level.sound_details["volume"].tolist(), default=0) > 32767:
        yield 0
