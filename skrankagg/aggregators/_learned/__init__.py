"""Methods that learn from relevance judgements."""
