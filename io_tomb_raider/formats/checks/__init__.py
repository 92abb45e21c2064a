"""What a game would trip over in a level: pure functions from levels to findings."""
