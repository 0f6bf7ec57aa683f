"""OLMo, dense and with experts."""
