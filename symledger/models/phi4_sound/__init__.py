"""What hears in Phi-4-multimodal: a conformer over a spectrum, in chunks where it is long."""
