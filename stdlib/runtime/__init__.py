"""Executes a plan: a deterministic state machine, the driver that does its calls, handles, faults."""
