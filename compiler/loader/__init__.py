"""Reads a project: manifest, chains and locks. The only part of the compiler that reads user files."""

from compiler.loader.files import NO_DRAFTS
from compiler.loader.load import load

__all__ = ["NO_DRAFTS", "load"]
