"""Complete levels of all games, built from plain meshes and a kit: `python build.py new-levels OUT`."""
