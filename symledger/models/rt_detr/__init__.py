"""RT-DETR: a detector of objects that is fast enough for films."""
