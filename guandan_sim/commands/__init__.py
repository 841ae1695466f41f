"""The commands of `guandan-sim`, a module a kind."""
