"""The meaning of a program: from trees to bundles and their artefacts."""
