"""HunYuan-VL."""
