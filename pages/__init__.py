"""The pages, one a file, and what they share: the server's sessions (`_server`) and the visitor's (`_visitor`)."""
