"""The example level: a small ruin with a story, of our own art, made by a script.

`python -m tools.example` draws the tiles, builds the rooms and the figures, and writes the file that
*File > New > Tomb Raider Example* opens.
"""
