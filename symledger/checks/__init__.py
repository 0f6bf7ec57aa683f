"""Evidence: independent checks of every kind of formula. None of them knows a component."""
