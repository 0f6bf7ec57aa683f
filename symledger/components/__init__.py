"""Components, one concept a file: definitions in the notation of ``symledger.ir``, no costs."""
