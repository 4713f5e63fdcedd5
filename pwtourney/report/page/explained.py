"""What each column of the leaderboard means, in a sentence."""

__all__ = ["EXPLAINED"]

EXPLAINED = {
    "#": "Rank by rating",
    "Ranks": "The ranks that hold in 95 % of draws from the ratings' covariance",
    "Bot": "The bot's id; #2 and so on are later versions of one bot",
    "Elo": "Rating by maximum likelihood; > and < mark one-sided bounds",
    "±95%": "Half of the rating's 95 % interval, clustered by deal",
    "LOS": "Likelihood that it is stronger than the bot below it",
    "Games": "Games that count",
    "Deals": "On how many different deals they were played",
    "W–L": "Games won and lost",
    "Score": "Share of the points",
    "1st": "Share of the points with the first seat",
    "2nd": "Share of the points with the second seat",
    "Pairs": "Pairs lost, split and won",
    "Seat": "How much larger its share is with the first seat",
    "Margin": "Mean difference of scores in games played to their end",
    "±Margin": "Half of the margin's 95 % interval",
    "Massey": "By how many points it would win against an average bot",
    "ms/move": "Mean time of a move in milliseconds",
    "Slowest": "Longest time of a move in milliseconds",
    "Faults": "Games lost by a fault, by verdict",
}
