"""The pages of the web application, one per file, and what they share (`shared`)."""
