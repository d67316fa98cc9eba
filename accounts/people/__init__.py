"""The pages on which administrators add people, change their groups and give them a link."""
