"""Ways out to primitive tools."""
