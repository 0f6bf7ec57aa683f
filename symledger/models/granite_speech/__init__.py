"""What hears in Granite Speech: a conformer that is told the letters that it guesses half-way."""
