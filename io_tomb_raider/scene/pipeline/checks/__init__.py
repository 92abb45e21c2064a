"""What a game would trip over in the scene: found by an export without a file, and kept with the level."""
