"""What families are made of that is not a component: decoders, encoders, stages."""
