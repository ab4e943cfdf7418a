"""Small faults planted in the simulation, each of which some test must notice."""
