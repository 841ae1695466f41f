"""What a user starts a bot of his own from; `guandan-sim bots --new FILE` writes a copy."""
