-- A store whose tables are not word for word these, comments within them included, is refused as
-- foreign: if you change a statement here, change FORMAT too.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- In the order in which they were stored, which is the order of the chain.
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    pair   INTEGER NOT NULL,
    game   INTEGER NOT NULL CHECK (game IN (0, 1)),
    halves INTEGER CHECK (halves IN (0, 1, 2)), -- half points of the bot named first; NULL if void
    faults INTEGER NOT NULL,
    hash   TEXT NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (pair, game)
) STRICT;

-- What a run needs to continue, without reading a record.
CREATE INDEX outcomes ON games (pair, game, halves);
CREATE INDEX faulty ON games (pair, game) WHERE faults > 0;
