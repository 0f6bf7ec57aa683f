"""The U-Net of Stable Diffusion."""
