/* Magpie: a Patchwork bot in one file of C, for protocol version 1 (docs/protocol.md of pwtourney).
 *
 *     cc -O2 -o magpie magpie.c
 *
 * It takes the patch on offer that covers the most squares for its cost and time, lays it on the
 * first place that fits from the top left, and advances when nothing is affordable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 20
#define PATCHES 1000
#define LINE 65600

struct patch { int cost, time, size, height, width; char shape[SIDE][SIDE + 1]; };

static struct patch patches[PATCHES];
static int rows, columns, offer = 3, seat;
static char quilt[SIDE][SIDE], circle[LINE];
static int buttons, pending;

/* Turn a shape a quarter clockwise. */
static struct patch turned(const struct patch *p) {
    struct patch t = *p;
    t.height = p->width;
    t.width = p->height;
    memset(t.shape, 0, sizeof t.shape);
    for (int r = 0; r < t.height; r++)
        for (int c = 0; c < t.width; c++) t.shape[r][c] = p->shape[p->height - 1 - c][r];
    return t;
}

/* Flip a shape left to right. */
static struct patch flipped(const struct patch *p) {
    struct patch f = *p;
    for (int r = 0; r < f.height; r++)
        for (int c = 0; c < f.width; c++) f.shape[r][c] = p->shape[r][p->width - 1 - c];
    return f;
}

static int fits(const struct patch *p, int row, int column) {
    if (row + p->height > rows || column + p->width > columns) return 0;
    for (int r = 0; r < p->height; r++)
        for (int c = 0; c < p->width; c++)
            if (p->shape[r][c] == '#' && quilt[row + r][column + c]) return 0;
    return 1;
}

/* Look for a place for a patch; write the action and return 1 if there is one. */
static int place(int number, char *action) {
    static const char *names[] = {"r0", "r90", "r180", "r270", "f0", "f90", "f180", "f270"};
    struct patch lay = patches[number];
    for (int turn = 0; turn < 8; turn++) {
        if (turn == 4) lay = flipped(&patches[number]);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++)
                if (fits(&lay, r, c)) {
                    sprintf(action, "%d:%s:%c%d", number, names[turn], 'a' + c, r + 1);
                    return 1;
                }
        lay = turned(&lay);
    }
    return 0;
}

static void choose(char *action) {
    double best = 0;
    strcpy(action, "advance");
    if (pending) {
        for (int square = 0; square < rows * columns; square++)
            if (!quilt[square / columns][square % columns]) {
                sprintf(action, "leather:%c%d", 'a' + square % columns, square / columns + 1);
                return;
            }
    }
    char *word = circle[0] == '-' ? NULL : strtok(circle, ",");
    for (int k = 0; word && k < offer; k++, word = strtok(NULL, ",")) {
        const struct patch *p = &patches[atoi(word)];
        double value = (double)p->size / (p->cost + p->time + 1);
        char found[40];
        if (p->cost <= buttons && value > best && place(atoi(word), found)) {
            best = value;
            strcpy(action, found);
        }
    }
}

/* Read rows of runs, such as 9/2xx5/...: numbers are empty squares, an x is a covered one. */
static void read_quilt(const char *text) {
    memset(quilt, 0, sizeof quilt);
    for (int r = 0, c = 0; *text; text++) {
        if (*text == '/') r++, c = 0;
        else if (*text == 'x') quilt[r][c++] = 1;
        else { c += strtol(text, (char **)&text, 10); text--; }
    }
}

static void read_position(const char *line) {
    static char quilts[2][1000];
    int have[2], income, space, mover;
    sscanf(line, "position %999s %d %d %d %999s %d %d %d %d %d %*s %*s %s", quilts[0], &have[0],
           &income, &space, quilts[1], &have[1], &income, &space, &mover, &pending, circle);
    read_quilt(quilts[seat]);
    buttons = have[seat];
}

static void read_patch(const char *line) {
    char drawing[1000];
    int number, cost, time, income;
    if (sscanf(line, "patch %d %d %d %d %999s", &number, &cost, &time, &income, drawing) != 5) return;
    struct patch *p = &patches[number];
    memset(p, 0, sizeof *p);
    p->cost = cost;
    p->time = time;
    for (char *row = strtok(drawing, "/"); row; row = strtok(NULL, "/")) {
        strcpy(p->shape[p->height++], row);
        p->width = (int)strlen(row);
        for (char *mark = row; *mark; mark++) p->size += *mark == '#';
    }
}

/* Whether a line is this word, alone or with more behind it: other words are not ours. */
static int is(const char *line, const char *word) {
    size_t length = strlen(word);
    return !strncmp(line, word, length) && strchr(" \r\n", line[length]);
}

int main(void) {
    static char line[LINE], action[40];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (is(line, "pwtp")) printf("id name Magpie\nready\n");
        else if (is(line, "newgame")) sscanf(strstr(line, "seat "), "seat %d", &seat);
        else if (is(line, "board")) sscanf(line, "board %d %d", &rows, &columns);
        else if (is(line, "offer")) offer = atoi(line + 6);
        else if (is(line, "patch")) read_patch(line);
        else if (is(line, "end")) printf("ready\n");
        else if (is(line, "position")) read_position(line);
        else if (is(line, "go")) choose(action), printf("move %s\n", action);
        else if (is(line, "quit")) break;
    }
    return 0;
}
