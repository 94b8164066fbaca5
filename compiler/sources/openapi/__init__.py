"""OpenAPI 3.0 and 3.1 documents as sources of tools; `read.read_openapi` is the way in."""
