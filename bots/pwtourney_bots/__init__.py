"""The Python bots that come with pwtourney, written as any author would write them."""
