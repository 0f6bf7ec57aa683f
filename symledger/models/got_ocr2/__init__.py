"""GOT-OCR 2, and what is built like it."""
