"""Tests of the extension in an installed Blender with a real window: `python build.py window OUT`.

They use a virtual screen (Xvfb), a mouse and a keyboard (xdotool), and screenshots (ImageMagick). The steps
read the screen to know where to click: :mod:`.lettering` finds words as Blender draws them. :mod:`.inside`
runs in Blender, and answers a fixed set of questions about its state. Outside of Blender, the standard
library is sufficient.
"""
