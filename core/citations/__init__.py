"""Citations: quotes are looked up word for word in what was retrieved, outside the agent, whatever the model claims."""
