"""MiMo-V2-Flash: layers with a window have sinks and more keys and values than others."""
