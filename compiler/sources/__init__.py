"""`chainc sync`: asks the sources of a project for their tools and keeps the answers in the lock folder."""
