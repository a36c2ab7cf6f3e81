"""What looks at another service: copying its state (pull), and comparing its answers with the contract (drift)."""
