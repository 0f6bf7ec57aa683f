"""RemBERT, RoFormer and BertGeneration."""
