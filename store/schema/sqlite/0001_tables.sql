-- The tables of Tirage. Money is whole cents, time µs UTC since 1970, a day
-- days since 1970, a truth 0 or 1. A fact is inserted once, in the turn that
-- appends its record to the journal; triggers refuse any change to it.

-- The end of the journal: the one row that a turn locks and changes. The root
-- of the empty tree is the SHA-256 of nothing (RFC 6962).
CREATE TABLE head (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    size     INTEGER NOT NULL CHECK (size >= 0),
    at       INTEGER NOT NULL CHECK (at >= 0),
    frontier BLOB NOT NULL,
    root     BLOB NOT NULL CHECK (length(root) = 32)
) STRICT;

INSERT INTO head (id, size, at, frontier, root)
VALUES (1, 0, 0, x'', x'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');

-- Accounts, outlets and scopes stand as numbers in the tables that grow fastest.
CREATE TABLE name (
    id   INTEGER PRIMARY KEY CHECK (id > 0),
    name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

-- Derived from posting, and changed in the same turn.
CREATE TABLE balance (
    account INTEGER PRIMARY KEY CHECK (account > 0), -- name
    amount  INTEGER NOT NULL
) STRICT;

-- The journal: one row a turn, and each full hash tile.

CREATE TABLE turn (
    first   INTEGER PRIMARY KEY CHECK (first >= 0),
    count   INTEGER NOT NULL CHECK (count > 0),
    at      INTEGER NOT NULL CHECK (at >= 0),
    records BLOB NOT NULL
) STRICT;

CREATE TABLE tile (
    level  INTEGER NOT NULL CHECK (level BETWEEN 0 AND 7),
    n      INTEGER NOT NULL CHECK (n >= 0),
    hashes BLOB NOT NULL CHECK (length(hashes) = 8192),
    UNIQUE (level, n)
) STRICT;

CREATE TABLE command (
    key     BLOB NOT NULL CHECK (length(key) BETWEEN 1 AND 64),
    scope   INTEGER NOT NULL CHECK (scope > 0), -- name
    content BLOB NOT NULL CHECK (length(content) = 32),
    record  INTEGER NOT NULL CHECK (record >= 0),
    PRIMARY KEY (key, scope)
) STRICT, WITHOUT ROWID;

-- Rule books, and who acts. The newest row of an id holds.

CREATE TABLE rules (
    record    INTEGER PRIMARY KEY CHECK (record >= 0),
    hash      BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    game      TEXT NOT NULL CHECK (game <> ''),
    version   TEXT NOT NULL,
    first_day INTEGER NOT NULL,
    book      BLOB NOT NULL
) STRICT;

CREATE TABLE outlet (
    record       INTEGER PRIMARY KEY CHECK (record >= 0),
    id           TEXT NOT NULL CHECK (id <> ''),
    number       INTEGER NOT NULL CHECK (number >= 0),
    territory    TEXT NOT NULL,
    zone         TEXT NOT NULL,
    credit_limit INTEGER NOT NULL CHECK (credit_limit >= 0),
    blocked      INTEGER NOT NULL CHECK (blocked IN (0, 1)),
    centre       INTEGER NOT NULL CHECK (centre IN (0, 1)),
    cause        TEXT NOT NULL CHECK (cause IN ('', 'unpaid')),
    at           INTEGER NOT NULL,
    UNIQUE (id, record)
) STRICT;

CREATE TABLE terminal (
    record    INTEGER PRIMARY KEY CHECK (record >= 0),
    id        TEXT NOT NULL CHECK (id <> ''),
    outlet    TEXT NOT NULL CHECK (outlet <> ''),
    renewed   INTEGER NOT NULL CHECK (renewed >= 0), -- how often it was given a new key
    withdrawn INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
    UNIQUE (id, record)
) STRICT;

CREATE TABLE officer (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    id     TEXT NOT NULL CHECK (id <> ''),
    roles  TEXT NOT NULL,
    UNIQUE (id, record)
) STRICT;

-- Draws, from the plan to the shares.

CREATE TABLE draw (
    id        INTEGER PRIMARY KEY CHECK (id > 0),
    game      TEXT NOT NULL CHECK (game <> ''),
    rules     BLOB NOT NULL REFERENCES rules (hash),
    day       INTEGER NOT NULL,
    number    INTEGER NOT NULL CHECK (number > 0),
    session   INTEGER NOT NULL CHECK (session > 0),
    opens_at  INTEGER NOT NULL,
    closes_at INTEGER NOT NULL CHECK (closes_at > opens_at),
    draws_at  INTEGER NOT NULL CHECK (draws_at >= closes_at),
    record    INTEGER NOT NULL CHECK (record >= 0),
    UNIQUE (game, day, number)
) STRICT;

CREATE TABLE draw_step (
    draw   INTEGER NOT NULL REFERENCES draw (id),
    state  TEXT NOT NULL CHECK (state IN ('planned', 'selling', 'closed', 'drawn', 'settled', 'certified', 'postponed', 'cancelled')),
    at     INTEGER NOT NULL,
    record INTEGER NOT NULL CHECK (record >= 0),
    PRIMARY KEY (draw, record)
) STRICT, WITHOUT ROWID;

-- A draw is postponed and sells again as often as need be; all else happens to it once.
CREATE UNIQUE INDEX draw_step_once ON draw_step (draw, state) WHERE state NOT IN ('selling', 'postponed');

-- New times of a draw, before its close: those of the newest row hold.
CREATE TABLE draw_move (
    draw      INTEGER NOT NULL REFERENCES draw (id),
    record    INTEGER NOT NULL CHECK (record >= 0),
    closes_at INTEGER NOT NULL CHECK (closes_at >= 0),
    draws_at  INTEGER NOT NULL CHECK (draws_at >= closes_at),
    early     INTEGER NOT NULL CHECK (early IN (0, 1)),
    PRIMARY KEY (draw, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE draw_close (
    draw      INTEGER PRIMARY KEY REFERENCES draw (id),
    wagers    INTEGER NOT NULL CHECK (wagers >= 0),
    parts     INTEGER NOT NULL CHECK (parts >= 0),
    stakes    INTEGER NOT NULL CHECK (stakes >= 0),
    cancelled INTEGER NOT NULL CHECK (cancelled >= 0),
    root      BLOB NOT NULL CHECK (length(root) = 32)
) STRICT;

CREATE TABLE result (
    draw     INTEGER PRIMARY KEY REFERENCES draw (id),
    elements TEXT NOT NULL CHECK (elements <> ''),
    times    INTEGER NOT NULL CHECK (times > 0)
) STRICT;

CREATE TABLE share (
    draw        INTEGER NOT NULL REFERENCES draw (id),
    prize_table INTEGER NOT NULL CHECK (prize_table >= 0),
    tier        INTEGER NOT NULL CHECK (tier >= 0),
    winners     INTEGER NOT NULL CHECK (winners >= 0),
    units       INTEGER NOT NULL CHECK (units >= 0),
    unit_value  INTEGER NOT NULL CHECK (unit_value >= 0),
    total       INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (draw, prize_table, tier)
) STRICT, WITHOUT ROWID;

-- The movement of a game's jackpot in the settlement of a draw; the newest of a
-- game says where it stands. What is carried below the cent is a fraction of it.
CREATE TABLE jackpot (
    draw         INTEGER PRIMARY KEY REFERENCES draw (id),
    game         TEXT NOT NULL CHECK (game <> ''),
    record       INTEGER NOT NULL CHECK (record >= 0),
    before       INTEGER NOT NULL CHECK (before >= 0),
    top_up       INTEGER NOT NULL CHECK (top_up >= 0),
    contribution INTEGER NOT NULL CHECK (contribution >= 0),
    carried_num  INTEGER NOT NULL CHECK (carried_num >= 0),
    carried_den  INTEGER NOT NULL CHECK (carried_den > carried_num), -- one beyond 2^63 is negative here
    ended        TEXT NOT NULL CHECK (ended IN ('won', 'rolled-down', 'carried', 'reserve')),
    extra        TEXT NOT NULL CHECK (extra IN ('', 'kept', 'rolled-down', 'ceiling')),
    tier         INTEGER NOT NULL CHECK (tier >= 0),
    paid         INTEGER NOT NULL CHECK (paid >= 0),
    rest         INTEGER NOT NULL CHECK (rest >= 0),
    after        INTEGER NOT NULL CHECK (after >= 0),
    UNIQUE (game, record),
    CHECK (before + top_up + contribution = paid + rest + after)
) STRICT;

-- A cancelled draw of which the stakes are booked as money to give back.
CREATE TABLE refund (
    draw   INTEGER PRIMARY KEY REFERENCES draw (id),
    record INTEGER NOT NULL CHECK (record >= 0)
) STRICT;

-- The end of the claims on tickets with a last draw.
CREATE TABLE expiry (
    last_draw INTEGER PRIMARY KEY REFERENCES draw (id),
    record    INTEGER NOT NULL CHECK (record >= 0),
    prizes    INTEGER NOT NULL CHECK (prizes >= 0),
    back      INTEGER NOT NULL CHECK (back >= 0)
) STRICT;

-- Claims of a game that would end on the days from first_day to last_day end on until_day.
CREATE TABLE extension (
    record    INTEGER PRIMARY KEY CHECK (record >= 0),
    game      TEXT NOT NULL CHECK (game <> ''),
    first_day INTEGER NOT NULL,
    last_day  INTEGER NOT NULL CHECK (last_day >= first_day),
    until_day INTEGER NOT NULL CHECK (until_day >= last_day)
) STRICT;

-- Acts that one officer proposes and another decides; what they say is in their records.

CREATE TABLE proposal (
    record INTEGER PRIMARY KEY CHECK (record >= 0)
) STRICT;

CREATE TABLE decision (
    proposal INTEGER PRIMARY KEY REFERENCES proposal (record),
    record   INTEGER NOT NULL UNIQUE CHECK (record > proposal),
    approved INTEGER NOT NULL CHECK (approved IN (0, 1))
) STRICT;

-- Tickets. These are written by the thousand a second, so they append: no
-- second index, no reference that would look up another table.

CREATE TABLE ticket (
    number    INTEGER PRIMARY KEY CHECK (number >= 0),
    outlet    INTEGER NOT NULL CHECK (outlet > 0), -- name
    last_draw INTEGER NOT NULL,
    price     INTEGER NOT NULL CHECK (price >= 0)
) STRICT;

CREATE TABLE part (
    draw        INTEGER NOT NULL,
    ticket      INTEGER NOT NULL,
    n           INTEGER NOT NULL CHECK (n >= 0),
    combination INTEGER NOT NULL CHECK (combination >= 0),
    units       INTEGER NOT NULL CHECK (units > 0),
    prize_table INTEGER NOT NULL CHECK (prize_table >= 0),
    last_draw   INTEGER NOT NULL,
    PRIMARY KEY (draw, ticket, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE cancellation (
    ticket INTEGER PRIMARY KEY REFERENCES ticket (number),
    at     INTEGER NOT NULL,
    record INTEGER NOT NULL CHECK (record >= 0)
) STRICT;
CREATE INDEX cancellation_record ON cancellation (record); -- likewise

CREATE TABLE payment (
    ticket INTEGER NOT NULL REFERENCES ticket (number),
    draw   INTEGER NOT NULL REFERENCES draw (id),
    at     INTEGER NOT NULL,
    outlet INTEGER NOT NULL CHECK (outlet > 0), -- name
    amount INTEGER NOT NULL CHECK (amount >= 0),
    record INTEGER NOT NULL CHECK (record >= 0),
    PRIMARY KEY (ticket, draw)
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_record ON payment (record); -- in the order made: what outlets paid on a day

-- Stops of payment (opposition); the newest of a ticket holds.
CREATE TABLE stop (
    ticket INTEGER NOT NULL REFERENCES ticket (number),
    record INTEGER NOT NULL CHECK (record >= 0),
    at     INTEGER NOT NULL,
    lifted INTEGER NOT NULL CHECK (lifted IN (0, 1)),
    PRIMARY KEY (ticket, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE reprint (
    ticket INTEGER NOT NULL REFERENCES ticket (number),
    record INTEGER NOT NULL CHECK (record >= 0),
    at     INTEGER NOT NULL,
    PRIMARY KEY (ticket, record)
) STRICT, WITHOUT ROWID;

-- The ledger. An id is the journal index of the record × 65536 + the place in
-- its entry: what is written by the thousand a second has one number for a key.
CREATE TABLE posting (
    id      INTEGER PRIMARY KEY CHECK (id >= 0),
    account INTEGER NOT NULL CHECK (account > 0), -- name
    amount  INTEGER NOT NULL CHECK (amount <> 0)
) STRICT;

-- Rule books that are not of draw games: of instant games, and of the accounts of players.
CREATE TABLE book (
    record    INTEGER PRIMARY KEY CHECK (record >= 0),
    hash      BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    sort      TEXT NOT NULL CHECK (sort <> ''),
    code      TEXT NOT NULL CHECK (code <> ''),
    version   TEXT NOT NULL CHECK (version <> ''),
    first_day INTEGER NOT NULL,
    book      BLOB NOT NULL
) STRICT;

-- Pools of instant games: their secrets by their hashes, and their states.
CREATE TABLE pool_secret (
    hash    BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    game    TEXT NOT NULL CHECK (game <> ''),
    price   INTEGER NOT NULL CHECK (price > 0),
    number  INTEGER NOT NULL CHECK (number > 0),
    officer TEXT NOT NULL CHECK (officer <> ''),
    record  INTEGER NOT NULL CHECK (record >= 0),
    UNIQUE (game, price, number, officer)
) STRICT, WITHOUT ROWID;

CREATE TABLE pool (
    id     INTEGER PRIMARY KEY CHECK (id > 0),
    game   TEXT NOT NULL CHECK (game <> ''),
    price  INTEGER NOT NULL CHECK (price > 0),
    number INTEGER NOT NULL CHECK (number > 0),
    record INTEGER NOT NULL CHECK (record >= 0),
    UNIQUE (game, price, number)
) STRICT;

CREATE TABLE pool_step (
    pool   INTEGER NOT NULL REFERENCES pool (id),
    state  TEXT NOT NULL CHECK (state IN ('committed', 'open', 'closed')),
    at     INTEGER NOT NULL,
    record INTEGER NOT NULL CHECK (record >= 0),
    PRIMARY KEY (pool, state)
) STRICT, WITHOUT ROWID;

-- Units played, by the thousand a second: they append, also among those of
-- their pool, which are sold in order.
CREATE TABLE unit (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    player INTEGER NOT NULL CHECK (player > 0), -- name
    pool   INTEGER NOT NULL,
    n      INTEGER NOT NULL CHECK (n >= 0),
    price  INTEGER NOT NULL CHECK (price > 0),
    prize  INTEGER NOT NULL CHECK (prize >= 0),
    at     INTEGER NOT NULL,
    UNIQUE (pool, n)
) STRICT;

CREATE TABLE game_step (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    game   TEXT NOT NULL CHECK (game <> ''),
    state  TEXT NOT NULL CHECK (state IN ('launched', 'suspended')),
    cause  TEXT NOT NULL CHECK (cause IN ('', 'officer', 'guard')),
    fr     TEXT NOT NULL,
    en     TEXT NOT NULL
) STRICT;

-- Players, by random ids, and their money. Who they are is in private tables.
CREATE TABLE player (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    id     TEXT NOT NULL UNIQUE CHECK (id <> ''),
    terms  TEXT NOT NULL CHECK (terms <> ''),
    at     INTEGER NOT NULL
) STRICT;

CREATE TABLE player_change (
    record   INTEGER PRIMARY KEY CHECK (record >= 0),
    player   TEXT NOT NULL CHECK (player <> ''),
    what     TEXT NOT NULL CHECK (what <> ''),
    amount   INTEGER NOT NULL CHECK (amount >= 0),
    until_at INTEGER NOT NULL CHECK (until_at >= 0),
    terms    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    UNIQUE (player, record)
) STRICT;

CREATE TABLE voucher (
    number INTEGER PRIMARY KEY CHECK (number >= 0),
    outlet TEXT NOT NULL CHECK (outlet <> ''),
    amount INTEGER NOT NULL CHECK (amount > 0)
) STRICT;

CREATE TABLE deposit (
    record    INTEGER PRIMARY KEY CHECK (record >= 0),
    player    TEXT NOT NULL CHECK (player <> ''),
    means     TEXT NOT NULL CHECK (means <> ''),
    reference BLOB NOT NULL CHECK (length(reference) = 32),
    amount    INTEGER NOT NULL CHECK (amount > 0),
    at        INTEGER NOT NULL,
    UNIQUE (means, reference)
) STRICT;

CREATE TABLE withdrawal (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    player TEXT NOT NULL CHECK (player <> ''),
    amount INTEGER NOT NULL CHECK (amount > 0),
    at     INTEGER NOT NULL
) STRICT;

CREATE TABLE withdrawal_step (
    withdrawal INTEGER NOT NULL REFERENCES withdrawal (record),
    state      TEXT NOT NULL CHECK (state IN ('sent', 'paid', 'returned')),
    at         INTEGER NOT NULL,
    record     INTEGER NOT NULL CHECK (record >= 0),
    PRIMARY KEY (withdrawal, state)
) STRICT, WITHOUT ROWID;

-- The accounts of outlets. What each terminal did by local day of its outlet and
-- game: derived, and added to by each tally record. It is by day first, so that it appends.
CREATE TABLE tally (
    day         INTEGER NOT NULL,
    outlet      INTEGER NOT NULL CHECK (outlet > 0), -- name
    terminal    TEXT NOT NULL,
    game        TEXT NOT NULL,
    sold        INTEGER NOT NULL CHECK (sold >= 0),
    sold_n      INTEGER NOT NULL CHECK (sold_n >= 0),
    cancelled   INTEGER NOT NULL CHECK (cancelled >= 0),
    cancelled_n INTEGER NOT NULL CHECK (cancelled_n >= 0),
    paid        INTEGER NOT NULL CHECK (paid >= 0),
    paid_n      INTEGER NOT NULL CHECK (paid_n >= 0),
    back        INTEGER NOT NULL CHECK (back >= 0),
    back_n      INTEGER NOT NULL CHECK (back_n >= 0),
    own         INTEGER NOT NULL CHECK (own >= 0),
    own_n       INTEGER NOT NULL CHECK (own_n >= 0),
    vouchers    INTEGER NOT NULL CHECK (vouchers >= 0),
    vouchers_n  INTEGER NOT NULL CHECK (vouchers_n >= 0),
    received    INTEGER NOT NULL, -- below 0 when more was paid to the outlet
    returned    INTEGER NOT NULL CHECK (returned >= 0), -- direct debits
    pace        INTEGER NOT NULL CHECK (pace >= 0),
    PRIMARY KEY (day, outlet, terminal, game)
) STRICT, WITHOUT ROWID;

CREATE TABLE tally_mark (
    record INTEGER PRIMARY KEY CHECK (record >= 0)
) STRICT;

CREATE TABLE statement (
    record    INTEGER PRIMARY KEY CHECK (record >= 0),
    outlet    TEXT NOT NULL CHECK (outlet <> ''),
    first_day INTEGER NOT NULL,
    last_day  INTEGER NOT NULL CHECK (last_day >= first_day),
    terms     BLOB NOT NULL CHECK (length(terms) = 32),
    opening   INTEGER NOT NULL,
    vouchers  INTEGER NOT NULL CHECK (vouchers >= 0),
    received  INTEGER NOT NULL,
    returned  INTEGER NOT NULL CHECK (returned >= 0),
    closing   INTEGER NOT NULL,
    zone      TEXT NOT NULL CHECK (zone <> ''), -- of the outlet when the week ended
    at        INTEGER NOT NULL,
    UNIQUE (outlet, first_day)
) STRICT;

CREATE INDEX statement_made ON statement (outlet, at); -- in the order made: of a day

CREATE TABLE statement_line (
    record      INTEGER NOT NULL REFERENCES statement (record),
    game        TEXT NOT NULL CHECK (game <> ''),
    sold        INTEGER NOT NULL CHECK (sold >= 0),
    cancelled   INTEGER NOT NULL CHECK (cancelled >= 0),
    paid        INTEGER NOT NULL CHECK (paid >= 0),
    back        INTEGER NOT NULL CHECK (back >= 0),
    commission  INTEGER NOT NULL,
    carried_num INTEGER NOT NULL CHECK (carried_num >= 0),
    carried_den INTEGER NOT NULL CHECK (carried_den > carried_num),
    PRIMARY KEY (record, game)
) STRICT, WITHOUT ROWID;

CREATE TABLE debit_step (
    statement INTEGER NOT NULL REFERENCES statement (record),
    state     TEXT NOT NULL CHECK (state IN ('sent', 'paid', 'returned')),
    amount    INTEGER NOT NULL CHECK (amount > 0),
    undone    INTEGER NOT NULL CHECK (undone IN (0, 1)),
    at        INTEGER NOT NULL,
    record    INTEGER NOT NULL CHECK (record >= 0),
    PRIMARY KEY (statement, state)
) STRICT, WITHOUT ROWID;
CREATE INDEX debit_step_sent ON debit_step (record) WHERE state = 'sent'; -- by file

CREATE TABLE notice (
    record   INTEGER PRIMARY KEY CHECK (record >= 0),
    outlet   TEXT NOT NULL, -- '': all
    fr       TEXT NOT NULL,
    en       TEXT NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at >= 0),
    at       INTEGER NOT NULL
) STRICT;

-- Notices taken back, once each.
CREATE TABLE retraction (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    notice INTEGER NOT NULL UNIQUE REFERENCES notice (record)
) STRICT;

-- Private: in no journal, and changed as needed.

CREATE TABLE password (
    login   TEXT PRIMARY KEY CHECK (login <> ''),
    officer TEXT NOT NULL UNIQUE CHECK (officer <> ''),
    hash    TEXT NOT NULL CHECK (hash <> ''),
    issued  INTEGER NOT NULL CHECK (issued IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE device (
    terminal TEXT PRIMARY KEY CHECK (terminal <> ''),
    hash     BLOB NOT NULL UNIQUE CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

-- The network printer of a terminal.
CREATE TABLE printer (
    terminal TEXT PRIMARY KEY CHECK (terminal <> ''),
    address  TEXT NOT NULL CHECK (address <> ''),
    auto     INTEGER NOT NULL CHECK (auto IN (0, 1)) -- each ticket, as it is sold
) STRICT, WITHOUT ROWID;

-- Tickets and deposit vouchers that were printed: what is printed after that is marked a duplicate. Of a
-- voucher each print has a row; of a ticket the first has, for its reprints are in the journal.
CREATE TABLE printed (
    ticket  INTEGER NOT NULL CHECK (ticket >= 0),
    copy    INTEGER NOT NULL CHECK (copy >= 0), -- 0: the first print
    command TEXT NOT NULL CHECK (command <> ''), -- key of the command that printed it
    PRIMARY KEY (ticket, copy)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
    kind       TEXT NOT NULL CHECK (kind <> ''),
    subject    TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX session_expiry ON session (expires_at);
CREATE INDEX session_subject ON session (subject);

-- Secrets of pools, sealed under the key of the system, by their hash.
CREATE TABLE sealed_secret (
    hash   BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    sealed BLOB NOT NULL
) STRICT;

-- The withdrawals that are neither paid nor returned, so that they are found
-- whatever there was before. Derived, and changed in the turn that takes a step.
CREATE TABLE withdrawal_open (
    state      TEXT NOT NULL CHECK (state IN ('asked', 'sent')),
    withdrawal INTEGER NOT NULL REFERENCES withdrawal (record),
    PRIMARY KEY (state, withdrawal)
) STRICT, WITHOUT ROWID;

-- The last record that tells of a player: they form a chain, newest first.
-- Derived, and changed in the turn that appends one.
CREATE TABLE chain (
    player INTEGER PRIMARY KEY CHECK (player > 0), -- name
    last   INTEGER NOT NULL CHECK (last >= 0)
) STRICT;

-- Who a player is, and how he signs on. A player is nobody else's second
-- account: identity is a keyed hash of name, birth date and place.
CREATE TABLE person (
    player       TEXT NOT NULL PRIMARY KEY CHECK (player <> ''),
    email        TEXT NOT NULL UNIQUE CHECK (email <> ''), -- in lower case
    identity     BLOB NOT NULL UNIQUE CHECK (length(identity) = 32),
    first_name   TEXT NOT NULL,
    last_name    TEXT NOT NULL,
    name_folded  TEXT NOT NULL, -- for the search: without case and accents
    birth_day    INTEGER NOT NULL,
    birth_place  TEXT NOT NULL,
    lang         TEXT NOT NULL,
    password     TEXT NOT NULL,
    totp         BLOB NOT NULL, -- sealed; empty: none
    totp_step    INTEGER NOT NULL  -- the last one used: a code holds once
) STRICT;

-- Passkeys (WebAuthn) of players.
CREATE TABLE passkey (
    id     BLOB NOT NULL PRIMARY KEY,
    player TEXT NOT NULL CHECK (player <> ''),
    name   TEXT NOT NULL,
    data   BLOB NOT NULL -- of the library, JSON
) STRICT;

CREATE INDEX passkey_player ON passkey (player);

-- What a person proves by having received a message: an address, a lost
-- password. And how many sign-ons failed at an address, by a keyed hash of it.
CREATE TABLE token (
    hash       BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    purpose    TEXT NOT NULL CHECK (purpose <> ''),
    subject    TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    data       BLOB NOT NULL
) STRICT;

CREATE INDEX token_expiry ON token (expires_at);
CREATE INDEX token_subject ON token (subject);

-- Messages to players, written in the turn that they tell of and sent after it.
CREATE TABLE outbox (
    id      INTEGER PRIMARY KEY CHECK (id > 0),
    player  TEXT NOT NULL, -- '': nobody's
    address TEXT NOT NULL CHECK (address <> ''),
    subject TEXT NOT NULL,
    body    BLOB NOT NULL, -- sealed: it has a token; empty once sent or dropped
    at      INTEGER NOT NULL, -- it was written
    next_at INTEGER NOT NULL, -- not tried before
    tries   INTEGER NOT NULL CHECK (tries >= 0),
    state   TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'dropped'))
) STRICT;

-- What waits is looked for all the time; what was sent stays, for its player to ask for.
CREATE INDEX outbox_waiting ON outbox (id) WHERE state = 'waiting';
CREATE INDEX outbox_player ON outbox (player);

-- Card payments that players began, by the reference that their provider calls back with.
CREATE TABLE card_payment (
    reference TEXT NOT NULL PRIMARY KEY CHECK (reference <> ''),
    provider  TEXT NOT NULL CHECK (provider <> ''),
    player    TEXT NOT NULL CHECK (player <> ''),
    amount    INTEGER NOT NULL CHECK (amount > 0),
    at        INTEGER NOT NULL,
    paid      INTEGER NOT NULL CHECK (paid IN (0, 1)) -- and deposited
) STRICT;

CREATE INDEX card_payment_waiting ON card_payment (player, at) WHERE paid = 0;
CREATE INDEX card_payment_begun ON card_payment (provider, at);

-- The Paris days of which the payments of a provider were compared with the ledger.
CREATE TABLE card_day (
    provider TEXT NOT NULL CHECK (provider <> ''),
    day      INTEGER NOT NULL,
    PRIMARY KEY (provider, day)
) STRICT, WITHOUT ROWID;

-- What a record holds the hash of, with its salt: reasons of officers, accounts to pay to.
CREATE TABLE note (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    salt   BLOB NOT NULL CHECK (length(salt) = 16),
    text   TEXT NOT NULL
) STRICT;

-- Who was paid, sealed under the key of the system, by the hash that the record of the payment has.
CREATE TABLE payee (
    hash   BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    salt   BLOB NOT NULL CHECK (length(salt) = 16),
    sealed BLOB NOT NULL,
    record INTEGER NOT NULL CHECK (record >= 0) -- of the payment; 0: not paid yet
) STRICT;

CREATE INDEX payee_record ON payee (record);

-- Bank accounts that outlets are debited from, sealed, and the shifts of
-- terminals, with what their tallies were when each began and what was done in it.
CREATE TABLE mandate (
    outlet TEXT NOT NULL PRIMARY KEY CHECK (outlet <> ''),
    sealed BLOB NOT NULL
) STRICT;

CREATE TABLE debit_file (
    record INTEGER PRIMARY KEY CHECK (record >= 0),
    sealed BLOB NOT NULL
) STRICT;

CREATE TABLE shift (
    id        INTEGER PRIMARY KEY CHECK (id > 0),
    terminal  TEXT NOT NULL CHECK (terminal <> ''),
    opened_at INTEGER NOT NULL,
    closed_at INTEGER NOT NULL, -- 0: open
    day       INTEGER NOT NULL, -- of the outlet, when it began
    data      BLOB NOT NULL
) STRICT;

CREATE INDEX shift_terminal ON shift (terminal, id);

-- Facts are insert-only. SQLite deletes silently for INSERT OR REPLACE unless
-- recursive_triggers is on; the store opens every connection with it.
CREATE TRIGGER name_no_update BEFORE UPDATE ON name BEGIN SELECT RAISE(ABORT, 'name is insert-only'); END;
CREATE TRIGGER name_no_delete BEFORE DELETE ON name BEGIN SELECT RAISE(ABORT, 'name is insert-only'); END;
CREATE TRIGGER turn_no_update BEFORE UPDATE ON turn BEGIN SELECT RAISE(ABORT, 'turn is insert-only'); END;
CREATE TRIGGER turn_no_delete BEFORE DELETE ON turn BEGIN SELECT RAISE(ABORT, 'turn is insert-only'); END;
CREATE TRIGGER tile_no_update BEFORE UPDATE ON tile BEGIN SELECT RAISE(ABORT, 'tile is insert-only'); END;
CREATE TRIGGER tile_no_delete BEFORE DELETE ON tile BEGIN SELECT RAISE(ABORT, 'tile is insert-only'); END;
CREATE TRIGGER command_no_update BEFORE UPDATE ON command BEGIN SELECT RAISE(ABORT, 'command is insert-only'); END;
CREATE TRIGGER command_no_delete BEFORE DELETE ON command BEGIN SELECT RAISE(ABORT, 'command is insert-only'); END;
CREATE TRIGGER rules_no_update BEFORE UPDATE ON rules BEGIN SELECT RAISE(ABORT, 'rules is insert-only'); END;
CREATE TRIGGER rules_no_delete BEFORE DELETE ON rules BEGIN SELECT RAISE(ABORT, 'rules is insert-only'); END;
CREATE TRIGGER outlet_no_update BEFORE UPDATE ON outlet BEGIN SELECT RAISE(ABORT, 'outlet is insert-only'); END;
CREATE TRIGGER outlet_no_delete BEFORE DELETE ON outlet BEGIN SELECT RAISE(ABORT, 'outlet is insert-only'); END;
CREATE TRIGGER terminal_no_update BEFORE UPDATE ON terminal BEGIN SELECT RAISE(ABORT, 'terminal is insert-only'); END;
CREATE TRIGGER terminal_no_delete BEFORE DELETE ON terminal BEGIN SELECT RAISE(ABORT, 'terminal is insert-only'); END;
CREATE TRIGGER officer_no_update BEFORE UPDATE ON officer BEGIN SELECT RAISE(ABORT, 'officer is insert-only'); END;
CREATE TRIGGER officer_no_delete BEFORE DELETE ON officer BEGIN SELECT RAISE(ABORT, 'officer is insert-only'); END;
CREATE TRIGGER draw_no_update BEFORE UPDATE ON draw BEGIN SELECT RAISE(ABORT, 'draw is insert-only'); END;
CREATE TRIGGER draw_no_delete BEFORE DELETE ON draw BEGIN SELECT RAISE(ABORT, 'draw is insert-only'); END;
CREATE TRIGGER draw_step_no_update BEFORE UPDATE ON draw_step BEGIN SELECT RAISE(ABORT, 'draw_step is insert-only'); END;
CREATE TRIGGER draw_step_no_delete BEFORE DELETE ON draw_step BEGIN SELECT RAISE(ABORT, 'draw_step is insert-only'); END;
CREATE TRIGGER draw_move_no_update BEFORE UPDATE ON draw_move BEGIN SELECT RAISE(ABORT, 'draw_move is insert-only'); END;
CREATE TRIGGER draw_move_no_delete BEFORE DELETE ON draw_move BEGIN SELECT RAISE(ABORT, 'draw_move is insert-only'); END;
CREATE TRIGGER draw_close_no_update BEFORE UPDATE ON draw_close BEGIN SELECT RAISE(ABORT, 'draw_close is insert-only'); END;
CREATE TRIGGER draw_close_no_delete BEFORE DELETE ON draw_close BEGIN SELECT RAISE(ABORT, 'draw_close is insert-only'); END;
CREATE TRIGGER result_no_update BEFORE UPDATE ON result BEGIN SELECT RAISE(ABORT, 'result is insert-only'); END;
CREATE TRIGGER result_no_delete BEFORE DELETE ON result BEGIN SELECT RAISE(ABORT, 'result is insert-only'); END;
CREATE TRIGGER share_no_update BEFORE UPDATE ON share BEGIN SELECT RAISE(ABORT, 'share is insert-only'); END;
CREATE TRIGGER share_no_delete BEFORE DELETE ON share BEGIN SELECT RAISE(ABORT, 'share is insert-only'); END;
CREATE TRIGGER jackpot_no_update BEFORE UPDATE ON jackpot BEGIN SELECT RAISE(ABORT, 'jackpot is insert-only'); END;
CREATE TRIGGER jackpot_no_delete BEFORE DELETE ON jackpot BEGIN SELECT RAISE(ABORT, 'jackpot is insert-only'); END;
CREATE TRIGGER refund_no_update BEFORE UPDATE ON refund BEGIN SELECT RAISE(ABORT, 'refund is insert-only'); END;
CREATE TRIGGER refund_no_delete BEFORE DELETE ON refund BEGIN SELECT RAISE(ABORT, 'refund is insert-only'); END;
CREATE TRIGGER expiry_no_update BEFORE UPDATE ON expiry BEGIN SELECT RAISE(ABORT, 'expiry is insert-only'); END;
CREATE TRIGGER expiry_no_delete BEFORE DELETE ON expiry BEGIN SELECT RAISE(ABORT, 'expiry is insert-only'); END;
CREATE TRIGGER extension_no_update BEFORE UPDATE ON extension BEGIN SELECT RAISE(ABORT, 'extension is insert-only'); END;
CREATE TRIGGER extension_no_delete BEFORE DELETE ON extension BEGIN SELECT RAISE(ABORT, 'extension is insert-only'); END;
CREATE TRIGGER proposal_no_update BEFORE UPDATE ON proposal BEGIN SELECT RAISE(ABORT, 'proposal is insert-only'); END;
CREATE TRIGGER proposal_no_delete BEFORE DELETE ON proposal BEGIN SELECT RAISE(ABORT, 'proposal is insert-only'); END;
CREATE TRIGGER decision_no_update BEFORE UPDATE ON decision BEGIN SELECT RAISE(ABORT, 'decision is insert-only'); END;
CREATE TRIGGER decision_no_delete BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT, 'decision is insert-only'); END;
CREATE TRIGGER ticket_no_update BEFORE UPDATE ON ticket BEGIN SELECT RAISE(ABORT, 'ticket is insert-only'); END;
CREATE TRIGGER ticket_no_delete BEFORE DELETE ON ticket BEGIN SELECT RAISE(ABORT, 'ticket is insert-only'); END;
CREATE TRIGGER part_no_update BEFORE UPDATE ON part BEGIN SELECT RAISE(ABORT, 'part is insert-only'); END;
CREATE TRIGGER part_no_delete BEFORE DELETE ON part BEGIN SELECT RAISE(ABORT, 'part is insert-only'); END;
CREATE TRIGGER cancellation_no_update BEFORE UPDATE ON cancellation BEGIN SELECT RAISE(ABORT, 'cancellation is insert-only'); END;
CREATE TRIGGER cancellation_no_delete BEFORE DELETE ON cancellation BEGIN SELECT RAISE(ABORT, 'cancellation is insert-only'); END;
CREATE TRIGGER payment_no_update BEFORE UPDATE ON payment BEGIN SELECT RAISE(ABORT, 'payment is insert-only'); END;
CREATE TRIGGER payment_no_delete BEFORE DELETE ON payment BEGIN SELECT RAISE(ABORT, 'payment is insert-only'); END;
CREATE TRIGGER stop_no_update BEFORE UPDATE ON stop BEGIN SELECT RAISE(ABORT, 'stop is insert-only'); END;
CREATE TRIGGER stop_no_delete BEFORE DELETE ON stop BEGIN SELECT RAISE(ABORT, 'stop is insert-only'); END;
CREATE TRIGGER reprint_no_update BEFORE UPDATE ON reprint BEGIN SELECT RAISE(ABORT, 'reprint is insert-only'); END;
CREATE TRIGGER reprint_no_delete BEFORE DELETE ON reprint BEGIN SELECT RAISE(ABORT, 'reprint is insert-only'); END;
CREATE TRIGGER posting_no_update BEFORE UPDATE ON posting BEGIN SELECT RAISE(ABORT, 'posting is insert-only'); END;
CREATE TRIGGER posting_no_delete BEFORE DELETE ON posting BEGIN SELECT RAISE(ABORT, 'posting is insert-only'); END;
CREATE TRIGGER book_no_update BEFORE UPDATE ON book BEGIN SELECT RAISE(ABORT, 'book is insert-only'); END;
CREATE TRIGGER book_no_delete BEFORE DELETE ON book BEGIN SELECT RAISE(ABORT, 'book is insert-only'); END;
CREATE TRIGGER pool_secret_no_update BEFORE UPDATE ON pool_secret BEGIN SELECT RAISE(ABORT, 'pool_secret is insert-only'); END;
CREATE TRIGGER pool_secret_no_delete BEFORE DELETE ON pool_secret BEGIN SELECT RAISE(ABORT, 'pool_secret is insert-only'); END;
CREATE TRIGGER pool_no_update BEFORE UPDATE ON pool BEGIN SELECT RAISE(ABORT, 'pool is insert-only'); END;
CREATE TRIGGER pool_no_delete BEFORE DELETE ON pool BEGIN SELECT RAISE(ABORT, 'pool is insert-only'); END;
CREATE TRIGGER pool_step_no_update BEFORE UPDATE ON pool_step BEGIN SELECT RAISE(ABORT, 'pool_step is insert-only'); END;
CREATE TRIGGER pool_step_no_delete BEFORE DELETE ON pool_step BEGIN SELECT RAISE(ABORT, 'pool_step is insert-only'); END;
CREATE TRIGGER unit_no_update BEFORE UPDATE ON unit BEGIN SELECT RAISE(ABORT, 'unit is insert-only'); END;
CREATE TRIGGER unit_no_delete BEFORE DELETE ON unit BEGIN SELECT RAISE(ABORT, 'unit is insert-only'); END;
CREATE TRIGGER game_step_no_update BEFORE UPDATE ON game_step BEGIN SELECT RAISE(ABORT, 'game_step is insert-only'); END;
CREATE TRIGGER game_step_no_delete BEFORE DELETE ON game_step BEGIN SELECT RAISE(ABORT, 'game_step is insert-only'); END;
CREATE TRIGGER player_no_update BEFORE UPDATE ON player BEGIN SELECT RAISE(ABORT, 'player is insert-only'); END;
CREATE TRIGGER player_no_delete BEFORE DELETE ON player BEGIN SELECT RAISE(ABORT, 'player is insert-only'); END;
CREATE TRIGGER player_change_no_update BEFORE UPDATE ON player_change BEGIN SELECT RAISE(ABORT, 'player_change is insert-only'); END;
CREATE TRIGGER player_change_no_delete BEFORE DELETE ON player_change BEGIN SELECT RAISE(ABORT, 'player_change is insert-only'); END;
CREATE TRIGGER voucher_no_update BEFORE UPDATE ON voucher BEGIN SELECT RAISE(ABORT, 'voucher is insert-only'); END;
CREATE TRIGGER voucher_no_delete BEFORE DELETE ON voucher BEGIN SELECT RAISE(ABORT, 'voucher is insert-only'); END;
CREATE TRIGGER deposit_no_update BEFORE UPDATE ON deposit BEGIN SELECT RAISE(ABORT, 'deposit is insert-only'); END;
CREATE TRIGGER deposit_no_delete BEFORE DELETE ON deposit BEGIN SELECT RAISE(ABORT, 'deposit is insert-only'); END;
CREATE TRIGGER withdrawal_no_update BEFORE UPDATE ON withdrawal BEGIN SELECT RAISE(ABORT, 'withdrawal is insert-only'); END;
CREATE TRIGGER withdrawal_no_delete BEFORE DELETE ON withdrawal BEGIN SELECT RAISE(ABORT, 'withdrawal is insert-only'); END;
CREATE TRIGGER withdrawal_step_no_update BEFORE UPDATE ON withdrawal_step BEGIN SELECT RAISE(ABORT, 'withdrawal_step is insert-only'); END;
CREATE TRIGGER withdrawal_step_no_delete BEFORE DELETE ON withdrawal_step BEGIN SELECT RAISE(ABORT, 'withdrawal_step is insert-only'); END;
CREATE TRIGGER tally_mark_no_update BEFORE UPDATE ON tally_mark BEGIN SELECT RAISE(ABORT, 'tally_mark is insert-only'); END;
CREATE TRIGGER tally_mark_no_delete BEFORE DELETE ON tally_mark BEGIN SELECT RAISE(ABORT, 'tally_mark is insert-only'); END;
CREATE TRIGGER statement_no_update BEFORE UPDATE ON statement BEGIN SELECT RAISE(ABORT, 'statement is insert-only'); END;
CREATE TRIGGER statement_no_delete BEFORE DELETE ON statement BEGIN SELECT RAISE(ABORT, 'statement is insert-only'); END;
CREATE TRIGGER statement_line_no_update BEFORE UPDATE ON statement_line BEGIN SELECT RAISE(ABORT, 'statement_line is insert-only'); END;
CREATE TRIGGER statement_line_no_delete BEFORE DELETE ON statement_line BEGIN SELECT RAISE(ABORT, 'statement_line is insert-only'); END;
CREATE TRIGGER debit_step_no_update BEFORE UPDATE ON debit_step BEGIN SELECT RAISE(ABORT, 'debit_step is insert-only'); END;
CREATE TRIGGER debit_step_no_delete BEFORE DELETE ON debit_step BEGIN SELECT RAISE(ABORT, 'debit_step is insert-only'); END;
CREATE TRIGGER notice_no_update BEFORE UPDATE ON notice BEGIN SELECT RAISE(ABORT, 'notice is insert-only'); END;
CREATE TRIGGER notice_no_delete BEFORE DELETE ON notice BEGIN SELECT RAISE(ABORT, 'notice is insert-only'); END;
CREATE TRIGGER retraction_no_update BEFORE UPDATE ON retraction BEGIN SELECT RAISE(ABORT, 'retraction is insert-only'); END;
CREATE TRIGGER retraction_no_delete BEFORE DELETE ON retraction BEGIN SELECT RAISE(ABORT, 'retraction is insert-only'); END;
