/* A chess engine that answers at once: it knows one game, and plays the next move of it.
 *
 * LINE is that game, its moves separated by spaces. How far it is, the position says: by the moves
 * that were played from the start, or by the number of the move in a FEN and those played since. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char line_of_moves[] = LINE;

/* Return how many words a text has. */
static int words(const char *text) {
    int count = 0;
    while (*(text += strspn(text, " \r\n"))) count++, text += strcspn(text, " \r\n");
    return count;
}

/* Return how many plies were played before the position that a line describes. */
static int plies_before(const char *line) {
    const char *moves = strstr(line, " moves");
    int played = moves ? words(moves + 6) : 0, number = 1;
    char side = 'w';
    if (sscanf(line, "position fen %*s %c %*s %*s %*d %d", &side, &number) < 1) return played;
    return 2 * (number - 1) + (side == 'b') + played;
}

/* Print a move of the game by its place, or the null move behind its end. */
static void answer(int ply) {
    const char *move = line_of_moves;
    for (; ply > 0 && *move; ply--) move += strcspn(move, " "), move += strspn(move, " ");
    if (*move) printf("bestmove %.*s\n", (int)strcspn(move, " "), move);
    else printf("bestmove 0000\n");
}

int main(void) {
    static char line[1 << 16];
    int ply = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "ucinewgame", 10)) ply = 0;
        else if (!strncmp(line, "uci", 3)) printf("id name instant\nid author pwtourney\nuciok\n");
        else if (!strncmp(line, "isready", 7)) printf("readyok\n");
        else if (!strncmp(line, "position ", 9)) ply = plies_before(line);
        else if (!strncmp(line, "go", 2)) answer(ply);
        else if (!strncmp(line, "quit", 4)) break;
    }
    return 0;
}
