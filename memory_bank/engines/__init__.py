"""Who makes a judgement: the embedded offline engine or a language model."""
