"""PoolFormer: a transformer whose attention is a mean over neighbours."""
