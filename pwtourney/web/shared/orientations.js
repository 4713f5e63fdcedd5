/* What a patch looks like when it is turned or flipped: orientations by their numbers in
   `Replay.ORIENTATIONS`, of which the last four are flipped. */

const TURNS = 4;

/* Turned clockwise by so many quarters, backwards if they are negative. */
const rotate = (number, step = 1) => number - number % TURNS + (number + step + TURNS) % TURNS;

/* Seen in a mirror: an orientation is flipped first and turned then, so turns go backwards. */
const flip = (number) => (number < TURNS ? TURNS : 0) + (TURNS - number % TURNS) % TURNS;

export { rotate, flip };
