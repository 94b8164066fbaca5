"""Types and value semantics that the checker, the function table and the runtime share."""
