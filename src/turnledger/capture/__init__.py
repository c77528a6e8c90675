"""The recorder: agents, conversations, messages, turns and steps, each durable before it acts."""
