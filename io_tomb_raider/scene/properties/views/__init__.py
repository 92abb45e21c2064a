"""Views: properties that show others in a handier form, without stored values."""
