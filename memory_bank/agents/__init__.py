"""The inputs and outputs of the agents, and the protocols of the engines that run them."""
