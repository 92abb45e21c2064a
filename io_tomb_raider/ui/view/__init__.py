"""The view: what a new level shows first, and what is shown or hidden."""
