"""MiniCPM-V 4.6 and after, and their encoder of images."""
