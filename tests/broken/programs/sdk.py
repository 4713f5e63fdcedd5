from pwtourney.sdk import Bot
FIRST

class Mine(Bot):
    def choose(self, turn):
        GO
