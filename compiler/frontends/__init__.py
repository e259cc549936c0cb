"""What comes in: readers that turn a model file into a source dialect."""
