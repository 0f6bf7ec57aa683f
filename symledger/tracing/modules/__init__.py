"""What is traced: a class that a user names, the values of its arguments, what enters it."""
