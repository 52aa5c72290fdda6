"""Words, sentences, dates, numbers and labels of texts in English. Pure: no database, no network, no models."""
