CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- In the order in which they were stored, which is the order of the chain.
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    pair   INTEGER NOT NULL,
    game   INTEGER NOT NULL CHECK (game IN (0, 1)),
    record TEXT NOT NULL,
    hash   TEXT NOT NULL,
    UNIQUE (pair, game)
) STRICT;
