"""Components, one concept a file: definitions in the notation of ``symledger.core``, no costs."""
