"""Version of the package, and so of the engine: it goes into every run's manifest."""

__version__ = "0.1.0"
