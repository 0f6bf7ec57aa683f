"""Words of pages: texts with numbers filled in, messages, questions, statements."""
