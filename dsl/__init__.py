"""The language: from text to a tree and diagnostics."""
