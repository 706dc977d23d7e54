"""What is worth keeping of what somebody said, and how it stands alone (section 5)."""
