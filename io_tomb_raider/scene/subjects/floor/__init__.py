"""Floor data, which several subjects change and one module writes."""
