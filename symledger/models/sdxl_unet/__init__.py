"""The U-Net of SDXL."""
