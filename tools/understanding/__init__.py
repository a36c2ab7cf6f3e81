"""Training, fitting and measuring of the built-in model's understanding (`make understanding`)."""
