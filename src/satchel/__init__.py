"""Satchel: agent memory that follows the agent, not the tool."""
