"""What stands between a call and the world: seven gates in their order (`gates.GATES`), each can only
refuse."""
