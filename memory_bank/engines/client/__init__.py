"""The client of language models: endpoints, requests, structured output and error handling."""
