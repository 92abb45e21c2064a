"""Single animations as files: their import onto models, and their export."""
