"""What was measured on real implementations, and which question of ours each record is."""
