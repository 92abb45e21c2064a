"""Floor data, which many subjects change and one place writes."""
