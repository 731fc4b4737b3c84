"""The parts that come with the core, registered as everyone's are."""
