"""What the pages share: parts of pages, the state of a tab, and the server's state that all visitors share."""
