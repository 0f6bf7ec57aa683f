"""XGLM and CTRL: decoders whose positions are sines and cosines."""
