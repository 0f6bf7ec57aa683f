"""GPT, the first one."""
