"""Recording clients and frameworks without changing the agent; no SDK is imported unless its user did."""
