"""Entry points: the command line, the MCP server, background runs, evaluation and the demo."""
