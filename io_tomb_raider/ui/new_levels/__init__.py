"""New levels: in File > New, and in the sidebar of a scene without levels."""
