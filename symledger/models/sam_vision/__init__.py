"""The encoder of images of Segment Anything."""
