"""The encoders of sounds of Qwen: spectra cut into chunks, and Qwen3 that hears by one."""
