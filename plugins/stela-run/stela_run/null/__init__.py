"""False alarms of a key on human text."""
