"""What one profile does on people's text, and on marked text, by corpus and length (docs/reliability.md)."""
