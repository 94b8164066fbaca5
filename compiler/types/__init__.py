"""Types: read from JSON Schema, written as JSON Schema, declared by authors."""
