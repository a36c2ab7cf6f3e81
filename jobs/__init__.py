"""Background work: the runner, state changes that are due, exports, campaigns, live calls and webhooks."""
