"""What text says by itself, Chinese and English: terms, credentials, dates, utterances. It must not know records or stores."""
