"""A match between two chess engines with python-chess, started by `benchmarks.peers`.

It is the usual program of somebody with python-chess and no runner: engines are persistent, and
games are written to a file.
"""

import sys

import chess
import chess.engine
import chess.pgn

_MOVE_SECONDS = 1.0


def main(engine: str, games: str, path: str) -> None:
    """Let an engine play this many games against itself; write them to a file."""
    limit = chess.engine.Limit(time=_MOVE_SECONDS)
    with (
        chess.engine.SimpleEngine.popen_uci(engine) as first,
        chess.engine.SimpleEngine.popen_uci(engine) as second,
        open(path, "w") as file,
    ):
        for number in range(int(games)):
            board = chess.Board()
            seats = (first, second) if number % 2 else (second, first)
            while not board.is_game_over(claim_draw=False):
                move = seats[board.turn].play(board, limit, game=number).move
                assert move is not None, "the engine knows a game to its end"
                board.push(move)
            print(chess.pgn.Game.from_board(board), file=file, end="\n\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
