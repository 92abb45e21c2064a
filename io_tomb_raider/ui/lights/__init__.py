"""The panel of lights."""
