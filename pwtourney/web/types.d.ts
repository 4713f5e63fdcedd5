/* The shapes of what the server and the page's data say. Python writes them; see the module that is
   named with each. */

/** The number of a seat: 0 moves first. */
export type Seat = number;

/** Column and row, or x and y. */
export type Pair = [number, number];

/** A patch: rows of its shape, cost, time and income. */
export type Patch = [rows: string[], cost: number, time: number, income: number];

/** The data of an edition that pages need (`edition_data`). */
export interface Edition {
  title: string;
  currency: string;
  rows: number;
  columns: number;
  last: number;
  incomes: number[];
  leathers: number[];
  offer: number;
  tile: [size: number, points: number] | null;
  /** The points of an empty square. */
  empty: number;
  patches: Record<string, Patch>;
}

/** Marks of a quilt board, row by row: 0 is empty, N patch N, below 0 a special patch; any other
    number is covered, but nobody knows by what. */
export type Quilt = number[];

export interface Player {
  quilt: Quilt;
  buttons: number;
  income: number;
  space: number;
  /** As it stands; null for the Automa, whose level counts its own at the end. */
  score: number | null;
  /** Microseconds that the player has thought so far. */
  micros: number;
}

/** A position (`position_data`). */
export interface Position {
  players: Player[];
  circle: number[];
  late: number[];
  /** The spaces where special patches are left. */
  leathers: number[];
  toMove: Seat;
  pending: number;
  tile: Seat | null;
  over: boolean;
  /** What both scores consist of, once the game is over; null for the Automa. */
  points?: (Points | null)[];
}

/** The parts of a score; those of empty squares are below 0, or 0. */
export type Points = [buttons: number, tile: number, empty: number];

/** What a ply changes (`Change` in `game_data.py`): what the seat that plays gains of four values;
    1 if the other seat is to move next; the place in the circle of the patch that is taken, −1 for
    none; and values of the position that are others now. Late patches that are no more outside the
    circle have joined it at its end; if their order was hidden, the whole circle is sent. */
export type Change = [
  buttons: number,
  income: number,
  spaces: number,
  score: number,
  turn: number,
  taken?: number,
  others?: Partial<
    Pick<Position, "pending" | "tile" | "late" | "leathers" | "over" | "circle" | "points">
  >,
];

/** Colours of drawings, for light or for dark pages. */
export interface Look {
  paper: string;
  ink: string;
  soft: string;
  edge: string;
  thread: string;
  board: string;
  grid: string;
  rim: string;
  covered: string;
  leather: string;
  hide: string;
  button: string;
  cream: string;
  table: string;
  offer: string;
  accent: string;
  track: string;
  turn: string;
  wall: string;
  goal: string;
  count: string;
  gold: string;
  seam: string;
  pawn: string;
  bark: string;
  seats: string[];
  label: string;
  placed: string;
  halo: string;
}

/** One of the eight ways in which a patch can lie. */
export type Orientation = "r0" | "r90" | "r180" | "r270" | "f0" | "f90" | "f180" | "f270";

/** The players of a game. */
export interface Seated {
  /** By seat. */
  names: string[];
  /** True if the second seat is the Automa, which has no quilt board. */
  automa: boolean;
  /** The rating and the description of each player; only a table has them. */
  strengths?: Pick<SeatFacts, "rating" | "about">[];
}

/** The end of a game: why it ended, who won and the points of both seats. */
export interface Ending {
  verdict: string;
  winner: Seat | null;
  scores: number[];
  /** True if the game is void; the page of a tournament has no value for other games. */
  void?: boolean;
}

/* The page of a tournament (`replays.py`). */

/** The part of a ply that stored games, tables and watched games have in common. */
export type Played = [seat: Seat, action: string, micros: number, ...rest: unknown[]];

/** A ply of a stored game. The microseconds are below 0 if nobody measured them; `margin` is what
    the bot expected from its own side. */
export type Ply = [seat: Seat, action: string, micros: number, said?: string, margin?: number];

/** The facts of a game other than its plies. */
export interface GameFacts {
  faults: [seat: Seat, verdict: string, message: string][];
  note: string;
  scores: number[];
  /** True if the second seat is the Automa. */
  automa?: boolean;
  /** True if the game is void. */
  void?: boolean;
}

export interface Replayable extends GameFacts {
  start: Position;
  plies: Ply[];
  changes: Change[];
}

/** A game that a server sends by itself (`describe_game`). */
export interface FetchedGame {
  row: NamedRow;
  game: Replayable;
}

/** All games of a page (`_describe_replays`). */
export interface PackedGames {
  list: GameRow[];
  /** Games by their numbers as in `12.0`: the place of their first ply in the columns, how many
      plies they have, and where their first position differs from `start`. */
  replays: Record<string, GameFacts & { first: number; plies: number; start: Partial<Position> }>;
  start: Position;
  /** What plies change, by the first word of their actions; the column has numbers of these. */
  changes: Record<string, Change[]>;
  columns: {
    actions: string[];
    micros: number[];
    infos: [said?: string, margin?: number][];
    changes: number[];
  };
}

/** A game of the list: pair, game, both bots, both scores, winner (−1 for none), verdict and plies;
    then a seat and a verdict for each fault. Bots and verdicts are numbers. */
export type GameRow = number[];

/** The same with names of bots and verdicts (`name_row`). */
export type NamedRow = (string | number)[];

export interface PageFacts {
  bots: string[];
  verdicts: string[];
  games: number;
  /** The state of a live page. The page sends it back unread, and the server answers with what has
      changed since; empty in a file. */
  live: string;
  /** The digest of each part of a live page, by its id. */
  parts: Record<string, string>;
  /** Why bots have no section, by their names: a sentence. */
  absences: Record<string, string>;
  /** The bots that the server can ask to evaluate games, each with its limit; none in a file. */
  evaluators: Limit[];
  saved: boolean;
  edition: Edition;
}

/** The answer to a live page that asks for news (`current_page.py`). */
export interface PageNews {
  /** True if the page must be loaded again. */
  reload: boolean;
  live: string;
  title: string;
  games: number;
  parts: { id: string; digest: string; text: string }[];
  rows: NamedRow[];
  state: LiveState;
}

export interface LivePair {
  first: string;
  second: string;
  pair: number;
}

/** The progress of a run: pairs that are stored, planned, running and next. */
export interface LiveState {
  pairs: number;
  planned: number;
  over: boolean;
  running: LivePair[];
  next: LivePair[];
}

/** The state in the address of the page: the id of an element (`section`), or what the reader has
    chosen. */
export interface Place {
  section: string;
  tab: string;
  game: string;
  ply: string | number;
  bot: string;
  against: string;
  result: string;
  verdict: string;
  sort: string;
  columns: string;
}

/** What is drawn in addition to a position, in a picture that is saved. */
export interface PictureWords {
  names: string[];
  /** The final scores; null for those of the position, in which the Automa has none. */
  scores: number[] | null;
  title: string;
  caption: string;
  /** True if the second seat is the Automa, which has no quilt board. */
  automa: boolean;
}

/* Playing (`table_view.py`, `choices.py`, `trail.py`). */

/** What a legal action changes (`describe_step`): pairs are before and after. */
export interface Step {
  buttons: Pair;
  income: Pair;
  space: Pair;
  marks: number;
  paid: number;
  leathers: number;
  tile: boolean;
  again: boolean;
  over: boolean;
}

/** A patch on offer: where it can lie, or the problem that forbids it. */
export interface Offered {
  patch: number;
  /** Each of the eight orientations by the lowest that gives its shape. */
  aliases: number[];
  legal: Record<number, number[]>;
  problem: string;
  step: Step | null;
}

export interface Choices {
  patches?: Offered[];
  advance?: Step;
  leather?: number[];
  /** What placing a special patch changes. */
  step?: Step | null;
  decline?: Step | null;
}

export interface ClockLimits {
  move_ms: number | null;
  game_ms: number | null;
  increment_ms: number;
}

export interface SeatFacts {
  kind: "person" | "bot" | "automa";
  name: string;
  /** The name of the bot in the arena; empty without a bot, or if the arena no longer has it. */
  bot: string;
  /** The level of the bot; empty for its full strength. */
  level: string;
  /** The rating of the bot with its options on the ladder; may be empty. */
  rating: string;
  /** What the bot is, in a sentence; may be empty. */
  about: string;
  clock: ClockLimits;
}

/** A ply of a table: what was said may be empty. */
export type TablePly = [seat: Seat, action: string, micros: number, info: string];

/** What a bot would play, and the margin that it expects then from the side of who asks. */
export interface Hint {
  hint: string;
  expects: number | null;
}

/** A table as the server describes it (`describe_table`). */
export interface TableState {
  version: number;
  start: Position;
  plies: TablePly[];
  /** What each of the plies changes. */
  changes: Change[];
  turn: Seat | null;
  choices: Choices | null;
  undo: string;
  clock: { limits: (number | null)[]; spent: number; running: boolean };
  thinking: boolean;
  trouble: string;
  over: {
    verdict: string;
    winner: Seat | null;
    scores: number[];
    headline: string;
    text: string;
  } | null;
}

export interface TableFacts {
  id: string;
  edition: Edition;
  seats: SeatFacts[];
  people: Seat[];
  bots: string[];
  hint: string;
  /** The bots that can evaluate a finished game, each with its limit, the strongest first. */
  evaluators: Limit[];
  state: TableState;
}

export interface SeatingFacts {
  seats: SeatFacts[];
  level: string;
  tactical: boolean;
}

/** What the form of a new game offers. */
export interface OrderFacts {
  /** Bots from weak to strong. */
  opponents: { bot: string; levels: string[] }[];
  editions: { name: string; title: string; automa: boolean }[];
  levels: string[];
  branch: { table: string; ply: number; seating: SeatingFacts } | null;
  given: { edition?: string; position?: string; deal?: string };
  /** Games to continue that are drawn. */
  unfinished: Thumbnails;
}

/* Games to continue (`thumbnails.py`). */

export interface Thumbnail {
  edition: Edition;
  names: string[];
  people: Seat[];
  automa: boolean;
  game: { start: Position; plies: Ply[]; changes: Change[] };
}

/** Games by their ids. */
export type Thumbnails = Record<string, Thumbnail>;

/** Ratings that tournaments give to bots, by the names of the bots (`home/views.py`). */
export type TournamentRatings = Record<string, { elo: string; tournament: string; scale: string }>;

/* Watching (`watch.py`). */

export interface WatchFacts {
  edition: Edition;
  name: string;
  /** The path below which the tournament has its views; empty for that of the arena. */
  root: string;
  /** The name of the game that the page is of; empty on the page of the run. */
  own: string;
  /** The address of the analysis of a stored game, without its name; empty without analysis. */
  analysis: string;
  /** True if positions of this edition can be played on. */
  canPlay: boolean;
}

/** A stored game in the list of the last results (`latest.py`). */
export interface LastResult {
  id: string;
  bots: string[];
  scores: number[];
  winner: Seat | null;
  verdict: string;
  message: string;
}

/** The score of two bots against each other (`pairing_scores.py`). */
export interface PairingScore {
  bots: string[];
  points: number[];
  games: number;
  /** The whole pairs among the games. */
  pairs: number;
  /** The fragment of their games on the tournament's page; empty without any. */
  address: string;
}

/** The news next to the watched games. */
export interface LatestNews {
  /** The newest first. */
  results: LastResult[];
  /** The first rows of the standings, the headings of columns of words, and all bots in the order
      of their ranks. */
  table: { headings: string[]; words: string[]; rows: string[][]; bots: string[] };
  /** The score of the pairing that the page asked for; null for none. */
  pairing: PairingScore | null;
  /** The pairs that are played next. */
  next: LivePair[];
  /** The names of the games before and after the one that was asked for. */
  neighbours: (string | null)[];
  /** The name of the last stored game of the bots that are followed; null for none, and undefined
      until the server has answered for these bots. */
  newest: string | null | undefined;
  stored: number;
  planned: number | null;
  over: boolean;
  /** Why the games give no result; empty if they do. */
  problem: string;
  /** Who leads or has won, as a sentence; empty if that is unknown. */
  lead: string;
}

export interface WatchedGame {
  pair: number;
  number: number;
  bots: string[];
  start: Position;
  /** True if the second seat is the Automa. */
  automa: boolean;
}

/** What a bot says while it thinks (`infos.py`). */
export interface Said {
  depth: number | null;
  nodes: number | null;
  /** The margin that it expects, from the view of the first seat. */
  margin: number | null;
  /** The moves that it expects; all are legal. */
  line: string[];
  text: string;
}

/** A ply of a game that is watched, and what the bot said last before it. */
export type WatchedPly = [seat: Seat, action: string, micros: number, said: Said | null];

/** The news of a slot since the last answer (`describe_news`). */
export interface SlotNews {
  slot: number;
  game?: WatchedGame;
  plies: WatchedPly[];
  /** What each of these plies changes. */
  changes: Change[];
  turn: Seat;
  left: (number | null)[];
  move: (number | null)[];
  spent: number | null;
  /** What the bot to move has said since it was asked. */
  said: Said | null;
  over: boolean;
  live: boolean;
  /** Final only if the game is stored: until then its pair may be played again. */
  result: (Ending & { message: string }) | null;
  stored: boolean;
}

export interface WallNews {
  running: boolean;
  slots: SlotNews[];
  gone: number[];
}

/** A game that a slot shows: the news of it, with all plies and changes, and the positions around its
    last ply. */
export interface SlotGame extends SlotNews {
  facts: WatchedGame;
  now: Position;
  before: Position | null;
  /** A sentence for each ply, and one that leaves out what is seen on the board. */
  past: { whole: string; brief: string }[];
  /** When the news came, by the clock of the page. */
  received: number;
}

/* Analysing (`study.py`, `analysis.py`, `examiner.py`). */

export interface StudyEdition extends Edition {
  name: string;
  latePatches: number[];
}

/** What the form of the editor holds (`form.py`); numbers are texts, as the reader types them. */
export interface FormValues {
  players: { quilt: Quilt; buttons: string; income: string; space: string }[];
  circle: number[];
  toMove: string;
  pending: string;
  tile: string | null;
  late: boolean;
}

/** What the reader of the editor does on the boards (`apply_change`). */
export type FormChange =
  | { kind: "place"; seat: Seat; patch: number; orientation: Orientation; square: number }
  | { kind: "back"; patch: number }
  | { kind: "square"; seat: Seat; square: number };

/** What the server says of a form (`check_form`): first what follows from a change, if there was
    one, then whether the position is possible. */
export interface FormAnswer {
  /** Why the change is impossible; then there is nothing else. */
  misfit?: string;
  values?: FormValues;
  said?: string;
  kept?: string;
  suggested?: Record<string, string | null>;
  problem?: string;
  text?: string;
  over?: boolean;
  legal?: number;
}

/** A position and how it stands there (`Point.describe`). */
export interface Point {
  position: Position;
  text: string;
  over: boolean;
  scores: number[];
  winner: Seat | null;
  automa: boolean;
  /** The space of the player to move, and where an advance leads; null if none can be played. */
  advance: Pair | null;
}

export interface StudyPly {
  seat: Seat;
  action: string;
  micros: number | null;
  said: string;
  margin: number | null;
}

/** A game or a position that was opened (`Study.describe`). */
export interface Study {
  edition: StudyEdition;
  names: string[];
  plies: StudyPly[];
  points: Point[];
  result: string;
  finished?: boolean;
  automa: boolean;
  /** Evaluations of the whole game that were made earlier; only of a game. */
  evaluations?: KeptEvaluation[];
}

/** An evaluation of a whole game that was kept (`evaluations.py`). */
export interface KeptEvaluation {
  bot: string;
  limit: Omit<Limit, "bot">;
  plies: Evaluated[];
  players: PlayerSummary[];
  /** Seconds since 1970. */
  made: number;
}

/** What the page of a tournament needs of an evaluated ply. */
export type Weighed = Pick<Evaluated, "number" | "seat" | "margin" | "swing">;

/** A kept evaluation as the page of a tournament reads it (`tournament_page.py`). */
export interface KeptMargins extends Pick<KeptEvaluation, "bot" | "limit"> {
  plies: Weighed[];
}

/** How well a seat played, by the evaluations of one bot (`Summary`). */
export interface PlayerSummary {
  seat: Seat;
  plies: number;
  /** Points a ply. */
  mean_loss: number | null;
  /** From 0 to 1. */
  accuracy: number | null;
  inaccuracies: number;
  mistakes: number;
  blunders: number;
}

/** What can be analysed: a stored game, a table, a text, or a deal by its seed. */
export interface Source {
  game?: string;
  table?: string;
  text?: string;
  seed?: string | number;
  edition?: string;
}

export type Grade = "" | "inaccuracy" | "mistake" | "blunder";

/** A position of a line or of a branch of it, with the action that led there. */
export interface LineNode {
  parent: LineNode | null;
  action: string;
  point: Point;
  children: LineNode[];
  grade: Grade;
  /** Points that the action cost, if it was graded. */
  swing: number | null;
  /** The action that the grading bot preferred, if the action was graded; else empty. */
  better: string;
  /** The name of the grading bot with its limit, empty without a grade. */
  grader: string;
  /** The margin that a bot expects here for the first seat, and the bot's name with its limit. */
  margin: number | null;
  evaluator: string;
  /** The margins that bots expect here which were asked about this position, by their names with
      their limits. */
  margins: Record<string, number>;
  number: number;
  /** True on the line that was opened. */
  main: boolean;
  /** What can be played here, once the server has said it. */
  legal?: string[];
  choices?: Choices | null;
}

/** The limit of a bot: thinking time, an option of the bot, or none until the reader stops it. */
export interface Limit {
  bot: string;
  ms?: number;
  option?: string;
  value?: number;
  endless?: boolean;
}

export interface Info extends Said {
  /** 1 for the best line, 2 for the next; a bot with one line says 1. */
  rank: number;
  /** Who plays each move of the line. */
  seats: Seat[];
  ms: number;
}

/** What a bot says of one ply of a game. */
export interface Evaluated {
  number: number;
  seat: Seat;
  action: string;
  margin: number | null;
  grade: Grade;
  swing: number | null;
  choice: string;
}

/** A bot that was asked, and what it has said so far. */
export interface AskedBot {
  name: string;
  limit: Limit;
  state: string;
  infos: Info[];
  evaluations: Evaluated[];
  action: string;
  /** How well the seats played, once the whole game is evaluated. */
  players?: PlayerSummary[];
  /** Seconds since 1970, if the evaluation was kept from earlier. */
  made?: number;
  done?: boolean;
  failed?: boolean;
}

export interface Analysis {
  id: string;
  whole: boolean;
  plies: number;
  /** The number of the last event that was read. */
  event: number;
  over: boolean;
  /** True if something is not drawn yet. */
  stale: boolean;
  stream: EventSource | null;
  bots: AskedBot[];
}

/** An analysis of a position of a line, or of the game that the line shows. */
export interface NodeAnalysis extends Analysis {
  node: LineNode;
  /** True if only some moves were to be thought about, so that the answer is none for the position. */
  isRestricted: boolean;
}

/** An event of an analysis: its number, and the index of the bot that it is about. */
export type AnalysisEvent = { event: number; bot: number } & (
  | { kind: "note"; text: string }
  | { kind: "begin" }
  | ({ kind: "info" } & Info)
  | { kind: "answer"; action: string; ms: number }
  | ({ kind: "evaluation" } & Evaluated)
  | { kind: "swings"; plies: Evaluated[]; players: PlayerSummary[] }
  | { kind: "fault"; verdict: string; text: string }
  | { kind: "end" }
);

/** The choices that the analysis page offers: bots, how many of them at once, and editions. */
export interface Offer {
  bots: string[];
  mostBots: number;
  /** The least points that a ply of this grade costs. */
  grades: Record<Exclude<Grade, "">, number>;
  editions: { name: string; title: string }[];
}

/** A stored game that can be opened. */
export interface StoredRow {
  id: string;
  names: string[];
  scores: number[];
  winner: Seat | null;
  verdict: string;
  plies: number;
}
