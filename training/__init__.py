"""How the shipped models are made: the corpus, the training, the measures. Apart from the package, which runs them."""
