"""The plan and catalogue formats: what the compiler writes and the runtime reads."""
