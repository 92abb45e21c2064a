"""Uses the extension as people do, in an installed Blender with a real window: `python build.py window OUT`.

A screen of its own (Xvfb), a mouse and a keyboard (xdotool), and pictures of all that is on the screen
(ImageMagick). The steps read the screen to know where to click: :mod:`.lettering` finds words in a picture as
Blender draws them. :mod:`.inside` runs in Blender and answers a fixed set of questions about what has
become of it. Outside of Blender the standard library is enough.
"""
