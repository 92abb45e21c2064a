"""What engines and editors require of levels beyond the format."""
