"""OLMo Hybrid: a gated delta rule in most layers of OLMo."""
