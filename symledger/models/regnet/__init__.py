"""RegNet: stages of grouped convolutions, whose widths follow a line."""
