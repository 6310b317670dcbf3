"""The door for MCP clients: the mistake memory and both drift scores as tools."""
