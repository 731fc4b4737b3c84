"""Real servers, their clients, and what is asked of their texts."""
