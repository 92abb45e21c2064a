"""Requirements of engines and editors beyond the format."""
