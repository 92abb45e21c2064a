"""Tools that edit the keys of whole animations: mirrored, retimed, reversed, smoothed, split."""
