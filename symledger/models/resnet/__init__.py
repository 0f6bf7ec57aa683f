"""ResNet, ResNeXt and wide ResNet."""
