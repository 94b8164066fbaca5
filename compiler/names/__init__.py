"""What names mean: the declarations of files and chains, and what the path of a call leads to."""
