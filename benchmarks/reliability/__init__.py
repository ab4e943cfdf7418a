"""What survives which disturbance, as commands that print their counts."""
