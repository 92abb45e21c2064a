"""The gameflow of TR2 and TR3."""
