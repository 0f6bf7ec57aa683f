"""AFMoE (Trinity) and Laguna: gates behind attention, windows, routed and shared experts."""
