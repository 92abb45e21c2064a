"""A game flow of TRX with one level, for levels of tests."""

FLOW = """{
    "levels": [
        // The only level
        {
            "path": "data/cave.phd",
            "music_track": 57,
            "water_color": [0.45, 1.0, 1.0], // blue
            "fog_end": 30.1,
            "sequence": [
                {"type": "loop_game"}, // play
                {"type": "setup_bacon_lara", "anchor_room": 1},
                {"type": "play_fmv", "fmv_id": 99},
            ],
            "item_drops": [
                {"enemy_num": 2, "object_ids": [86]}, // magnums
                {"enemy_num": 1, "object_ids": [93, "93", "key_1"]},
                {"enemy_num": 900, "object_ids": [84]},
            ],
        },
    ],
}
"""
NAMES = '{"levels": [{"title": "Cave"}]}'
TR4_FLOW = """{
    "engine": 4,
    "levels": [
        {
            "path": "train.tr4",
            "fog_color": "#D2B063",
            "fog_bulbs": false, // as in the original
            "sequence": [
                {"type": "setup_horizon", "layer": 0, "color": "#C0A0C0", "speed": -16, "fog_gradient": true},
                {"type": "enable_lightning"},
            ],
        },
    ],
}
"""
