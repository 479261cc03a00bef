-- The tables of Tirage. Money is whole cents, time µs UTC since 1970, a day
-- days since 1970, a truth 0 or 1. A fact is inserted once, in the turn that
-- appends its record to the journal; triggers refuse any change to it.

-- The end of the journal: the one row that a turn locks and changes. The root
-- of the empty tree is the SHA-256 of nothing (RFC 6962).
CREATE TABLE head (
    id       BIGINT PRIMARY KEY CHECK (id = 1),
    size     BIGINT NOT NULL CHECK (size >= 0),
    at       BIGINT NOT NULL CHECK (at >= 0),
    frontier BYTEA NOT NULL,
    root     BYTEA NOT NULL CHECK (octet_length(root) = 32)
);

INSERT INTO head (id, size, at, frontier, root)
VALUES (1, 0, 0, '', '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');

-- Accounts, outlets and scopes stand as numbers in the tables that grow fastest.
CREATE TABLE name (
    id   BIGINT PRIMARY KEY CHECK (id > 0),
    name TEXT COLLATE "C" NOT NULL UNIQUE CHECK (name <> '')
);

-- Derived from posting, and changed in the same turn.
CREATE TABLE balance (
    account BIGINT PRIMARY KEY CHECK (account > 0), -- name
    amount  BIGINT NOT NULL
);

-- The journal: one row a turn, and each full hash tile.

CREATE TABLE turn (
    first   BIGINT PRIMARY KEY CHECK (first >= 0),
    count   BIGINT NOT NULL CHECK (count > 0),
    at      BIGINT NOT NULL CHECK (at >= 0),
    records BYTEA NOT NULL
);

CREATE TABLE tile (
    level  BIGINT NOT NULL CHECK (level BETWEEN 0 AND 7),
    n      BIGINT NOT NULL CHECK (n >= 0),
    hashes BYTEA NOT NULL CHECK (octet_length(hashes) = 8192),
    UNIQUE (level, n)
);

CREATE TABLE command (
    key     BYTEA NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 64),
    scope   BIGINT NOT NULL CHECK (scope > 0), -- name
    content BYTEA NOT NULL CHECK (octet_length(content) = 32),
    record  BIGINT NOT NULL CHECK (record >= 0),
    PRIMARY KEY (key, scope)
);

-- Rule books, and who acts. The newest row of an id holds.

CREATE TABLE rules (
    record    BIGINT PRIMARY KEY CHECK (record >= 0),
    hash      BYTEA NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    game      TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    version   TEXT COLLATE "C" NOT NULL,
    first_day BIGINT NOT NULL,
    book      BYTEA NOT NULL
);

CREATE TABLE outlet (
    record       BIGINT PRIMARY KEY CHECK (record >= 0),
    id           TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
    number       BIGINT NOT NULL CHECK (number >= 0),
    territory    TEXT COLLATE "C" NOT NULL,
    zone         TEXT COLLATE "C" NOT NULL,
    credit_limit BIGINT NOT NULL CHECK (credit_limit >= 0),
    blocked      BIGINT NOT NULL CHECK (blocked IN (0, 1)),
    centre       BIGINT NOT NULL CHECK (centre IN (0, 1)),
    cause        TEXT COLLATE "C" NOT NULL CHECK (cause IN ('', 'unpaid')),
    at           BIGINT NOT NULL,
    UNIQUE (id, record)
);

CREATE TABLE terminal (
    record    BIGINT PRIMARY KEY CHECK (record >= 0),
    id        TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
    outlet    TEXT COLLATE "C" NOT NULL CHECK (outlet <> ''),
    renewed   INTEGER NOT NULL CHECK (renewed >= 0), -- how often it was given a new key
    withdrawn INTEGER NOT NULL CHECK (withdrawn IN (0, 1)),
    UNIQUE (id, record)
);

CREATE TABLE officer (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    id     TEXT COLLATE "C" NOT NULL CHECK (id <> ''),
    roles  TEXT COLLATE "C" NOT NULL,
    UNIQUE (id, record)
);

-- Draws, from the plan to the shares.

CREATE TABLE draw (
    id        BIGINT PRIMARY KEY CHECK (id > 0),
    game      TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    rules     BYTEA NOT NULL REFERENCES rules (hash),
    day       BIGINT NOT NULL,
    number    BIGINT NOT NULL CHECK (number > 0),
    session   BIGINT NOT NULL CHECK (session > 0),
    opens_at  BIGINT NOT NULL,
    closes_at BIGINT NOT NULL CHECK (closes_at > opens_at),
    draws_at  BIGINT NOT NULL CHECK (draws_at >= closes_at),
    record    BIGINT NOT NULL CHECK (record >= 0),
    UNIQUE (game, day, number)
);

CREATE TABLE draw_step (
    draw   BIGINT NOT NULL REFERENCES draw (id),
    state  TEXT COLLATE "C" NOT NULL CHECK (state IN ('planned', 'selling', 'closed', 'drawn', 'settled', 'certified', 'postponed', 'cancelled')),
    at     BIGINT NOT NULL,
    record BIGINT NOT NULL CHECK (record >= 0),
    PRIMARY KEY (draw, record)
);

-- A draw is postponed and sells again as often as need be; all else happens to it once.
CREATE UNIQUE INDEX draw_step_once ON draw_step (draw, state) WHERE state NOT IN ('selling', 'postponed');

-- New times of a draw, before its close: those of the newest row hold.
CREATE TABLE draw_move (
    draw      BIGINT NOT NULL REFERENCES draw (id),
    record    BIGINT NOT NULL CHECK (record >= 0),
    closes_at BIGINT NOT NULL CHECK (closes_at >= 0),
    draws_at  BIGINT NOT NULL CHECK (draws_at >= closes_at),
    early     BIGINT NOT NULL CHECK (early IN (0, 1)),
    PRIMARY KEY (draw, record)
);

CREATE TABLE draw_close (
    draw      BIGINT PRIMARY KEY REFERENCES draw (id),
    wagers    BIGINT NOT NULL CHECK (wagers >= 0),
    parts     BIGINT NOT NULL CHECK (parts >= 0),
    stakes    BIGINT NOT NULL CHECK (stakes >= 0),
    cancelled BIGINT NOT NULL CHECK (cancelled >= 0),
    root      BYTEA NOT NULL CHECK (octet_length(root) = 32)
);

CREATE TABLE result (
    draw     BIGINT PRIMARY KEY REFERENCES draw (id),
    elements TEXT COLLATE "C" NOT NULL CHECK (elements <> ''),
    times    BIGINT NOT NULL CHECK (times > 0)
);

CREATE TABLE share (
    draw        BIGINT NOT NULL REFERENCES draw (id),
    prize_table BIGINT NOT NULL CHECK (prize_table >= 0),
    tier        BIGINT NOT NULL CHECK (tier >= 0),
    winners     BIGINT NOT NULL CHECK (winners >= 0),
    units       BIGINT NOT NULL CHECK (units >= 0),
    unit_value  BIGINT NOT NULL CHECK (unit_value >= 0),
    total       BIGINT NOT NULL CHECK (total >= 0),
    PRIMARY KEY (draw, prize_table, tier)
);

-- The movement of a game's jackpot in the settlement of a draw; the newest of a
-- game says where it stands. What is carried below the cent is a fraction of it.
CREATE TABLE jackpot (
    draw         BIGINT PRIMARY KEY REFERENCES draw (id),
    game         TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    record       BIGINT NOT NULL CHECK (record >= 0),
    before       BIGINT NOT NULL CHECK (before >= 0),
    top_up       BIGINT NOT NULL CHECK (top_up >= 0),
    contribution BIGINT NOT NULL CHECK (contribution >= 0),
    carried_num  BIGINT NOT NULL CHECK (carried_num >= 0),
    carried_den  BIGINT NOT NULL CHECK (carried_den > carried_num), -- one beyond 2^63 is negative here
    ended        TEXT COLLATE "C" NOT NULL CHECK (ended IN ('won', 'rolled-down', 'carried', 'reserve')),
    extra        TEXT COLLATE "C" NOT NULL CHECK (extra IN ('', 'kept', 'rolled-down', 'ceiling')),
    tier         BIGINT NOT NULL CHECK (tier >= 0),
    paid         BIGINT NOT NULL CHECK (paid >= 0),
    rest         BIGINT NOT NULL CHECK (rest >= 0),
    after        BIGINT NOT NULL CHECK (after >= 0),
    UNIQUE (game, record),
    CHECK (before + top_up + contribution = paid + rest + after)
);

-- A cancelled draw of which the stakes are booked as money to give back.
CREATE TABLE refund (
    draw   BIGINT PRIMARY KEY REFERENCES draw (id),
    record BIGINT NOT NULL CHECK (record >= 0)
);

-- The end of the claims on tickets with a last draw.
CREATE TABLE expiry (
    last_draw BIGINT PRIMARY KEY REFERENCES draw (id),
    record    BIGINT NOT NULL CHECK (record >= 0),
    prizes    BIGINT NOT NULL CHECK (prizes >= 0),
    back      BIGINT NOT NULL CHECK (back >= 0)
);

-- Claims of a game that would end on the days from first_day to last_day end on until_day.
CREATE TABLE extension (
    record    BIGINT PRIMARY KEY CHECK (record >= 0),
    game      TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    first_day BIGINT NOT NULL,
    last_day  BIGINT NOT NULL CHECK (last_day >= first_day),
    until_day BIGINT NOT NULL CHECK (until_day >= last_day)
);

-- Acts that one officer proposes and another decides; what they say is in their records.

CREATE TABLE proposal (
    record BIGINT PRIMARY KEY CHECK (record >= 0)
);

CREATE TABLE decision (
    proposal BIGINT PRIMARY KEY REFERENCES proposal (record),
    record   BIGINT NOT NULL UNIQUE CHECK (record > proposal),
    approved BIGINT NOT NULL CHECK (approved IN (0, 1))
);

-- Tickets. These are written by the thousand a second, so they append: no
-- second index, no reference that would look up another table.

CREATE TABLE ticket (
    number    BIGINT PRIMARY KEY CHECK (number >= 0),
    outlet    BIGINT NOT NULL CHECK (outlet > 0), -- name
    last_draw BIGINT NOT NULL,
    price     BIGINT NOT NULL CHECK (price >= 0)
);

CREATE TABLE part (
    draw        BIGINT NOT NULL,
    ticket      BIGINT NOT NULL,
    n           BIGINT NOT NULL CHECK (n >= 0),
    combination BIGINT NOT NULL CHECK (combination >= 0),
    units       BIGINT NOT NULL CHECK (units > 0),
    prize_table BIGINT NOT NULL CHECK (prize_table >= 0),
    last_draw   BIGINT NOT NULL,
    PRIMARY KEY (draw, ticket, n)
);

CREATE TABLE cancellation (
    ticket BIGINT PRIMARY KEY REFERENCES ticket (number),
    at     BIGINT NOT NULL,
    record BIGINT NOT NULL CHECK (record >= 0)
);
CREATE INDEX cancellation_record ON cancellation (record); -- likewise

CREATE TABLE payment (
    ticket BIGINT NOT NULL REFERENCES ticket (number),
    draw   BIGINT NOT NULL REFERENCES draw (id),
    at     BIGINT NOT NULL,
    outlet BIGINT NOT NULL CHECK (outlet > 0), -- name
    amount BIGINT NOT NULL CHECK (amount >= 0),
    record BIGINT NOT NULL CHECK (record >= 0),
    PRIMARY KEY (ticket, draw)
);
CREATE INDEX payment_record ON payment (record); -- in the order made: what outlets paid on a day

-- Stops of payment (opposition); the newest of a ticket holds.
CREATE TABLE stop (
    ticket BIGINT NOT NULL REFERENCES ticket (number),
    record BIGINT NOT NULL CHECK (record >= 0),
    at     BIGINT NOT NULL,
    lifted BIGINT NOT NULL CHECK (lifted IN (0, 1)),
    PRIMARY KEY (ticket, record)
);

CREATE TABLE reprint (
    ticket BIGINT NOT NULL REFERENCES ticket (number),
    record BIGINT NOT NULL CHECK (record >= 0),
    at     BIGINT NOT NULL,
    PRIMARY KEY (ticket, record)
);

-- The ledger. An id is the journal index of the record × 65536 + the place in
-- its entry: what is written by the thousand a second has one number for a key.
CREATE TABLE posting (
    id      BIGINT PRIMARY KEY CHECK (id >= 0),
    account BIGINT NOT NULL CHECK (account > 0), -- name
    amount  BIGINT NOT NULL CHECK (amount <> 0)
);

-- Rule books that are not of draw games: of instant games, and of the accounts of players.
CREATE TABLE book (
    record    BIGINT PRIMARY KEY CHECK (record >= 0),
    hash      BYTEA NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    sort      TEXT COLLATE "C" NOT NULL CHECK (sort <> ''),
    code      TEXT COLLATE "C" NOT NULL CHECK (code <> ''),
    version   TEXT COLLATE "C" NOT NULL CHECK (version <> ''),
    first_day BIGINT NOT NULL,
    book      BYTEA NOT NULL
);

-- Pools of instant games: their secrets by their hashes, and their states.
CREATE TABLE pool_secret (
    hash    BYTEA NOT NULL PRIMARY KEY CHECK (octet_length(hash) = 32),
    game    TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    price   BIGINT NOT NULL CHECK (price > 0),
    number  BIGINT NOT NULL CHECK (number > 0),
    officer TEXT COLLATE "C" NOT NULL CHECK (officer <> ''),
    record  BIGINT NOT NULL CHECK (record >= 0),
    UNIQUE (game, price, number, officer)
);

CREATE TABLE pool (
    id     BIGINT PRIMARY KEY CHECK (id > 0),
    game   TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    price  BIGINT NOT NULL CHECK (price > 0),
    number BIGINT NOT NULL CHECK (number > 0),
    record BIGINT NOT NULL CHECK (record >= 0),
    UNIQUE (game, price, number)
);

CREATE TABLE pool_step (
    pool   BIGINT NOT NULL REFERENCES pool (id),
    state  TEXT COLLATE "C" NOT NULL CHECK (state IN ('committed', 'open', 'closed')),
    at     BIGINT NOT NULL,
    record BIGINT NOT NULL CHECK (record >= 0),
    PRIMARY KEY (pool, state)
);

-- Units played, by the thousand a second: they append, also among those of
-- their pool, which are sold in order.
CREATE TABLE unit (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    player BIGINT NOT NULL CHECK (player > 0), -- name
    pool   BIGINT NOT NULL,
    n      BIGINT NOT NULL CHECK (n >= 0),
    price  BIGINT NOT NULL CHECK (price > 0),
    prize  BIGINT NOT NULL CHECK (prize >= 0),
    at     BIGINT NOT NULL,
    UNIQUE (pool, n)
);

CREATE TABLE game_step (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    game   TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    state  TEXT COLLATE "C" NOT NULL CHECK (state IN ('launched', 'suspended')),
    cause  TEXT COLLATE "C" NOT NULL CHECK (cause IN ('', 'officer', 'guard')),
    fr     TEXT COLLATE "C" NOT NULL,
    en     TEXT COLLATE "C" NOT NULL
);

-- Players, by random ids, and their money. Who they are is in private tables.
CREATE TABLE player (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    id     TEXT COLLATE "C" NOT NULL UNIQUE CHECK (id <> ''),
    terms  TEXT COLLATE "C" NOT NULL CHECK (terms <> ''),
    at     BIGINT NOT NULL
);

CREATE TABLE player_change (
    record   BIGINT PRIMARY KEY CHECK (record >= 0),
    player   TEXT COLLATE "C" NOT NULL CHECK (player <> ''),
    what     TEXT COLLATE "C" NOT NULL CHECK (what <> ''),
    amount   BIGINT NOT NULL CHECK (amount >= 0),
    until_at BIGINT NOT NULL CHECK (until_at >= 0),
    terms    TEXT COLLATE "C" NOT NULL,
    at       BIGINT NOT NULL,
    UNIQUE (player, record)
);

CREATE TABLE voucher (
    number BIGINT PRIMARY KEY CHECK (number >= 0),
    outlet TEXT COLLATE "C" NOT NULL CHECK (outlet <> ''),
    amount BIGINT NOT NULL CHECK (amount > 0)
);

CREATE TABLE deposit (
    record    BIGINT PRIMARY KEY CHECK (record >= 0),
    player    TEXT COLLATE "C" NOT NULL CHECK (player <> ''),
    means     TEXT COLLATE "C" NOT NULL CHECK (means <> ''),
    reference BYTEA NOT NULL CHECK (octet_length(reference) = 32),
    amount    BIGINT NOT NULL CHECK (amount > 0),
    at        BIGINT NOT NULL,
    UNIQUE (means, reference)
);

CREATE TABLE withdrawal (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    player TEXT COLLATE "C" NOT NULL CHECK (player <> ''),
    amount BIGINT NOT NULL CHECK (amount > 0),
    at     BIGINT NOT NULL
);

CREATE TABLE withdrawal_step (
    withdrawal BIGINT NOT NULL REFERENCES withdrawal (record),
    state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('sent', 'paid', 'returned')),
    at         BIGINT NOT NULL,
    record     BIGINT NOT NULL CHECK (record >= 0),
    PRIMARY KEY (withdrawal, state)
);

-- The accounts of outlets. What each terminal did by local day of its outlet and
-- game: derived, and added to by each tally record. It is by day first, so that it appends.
CREATE TABLE tally (
    day         BIGINT NOT NULL,
    outlet      BIGINT NOT NULL CHECK (outlet > 0), -- name
    terminal    TEXT COLLATE "C" NOT NULL,
    game        TEXT COLLATE "C" NOT NULL,
    sold        BIGINT NOT NULL CHECK (sold >= 0),
    sold_n      BIGINT NOT NULL CHECK (sold_n >= 0),
    cancelled   BIGINT NOT NULL CHECK (cancelled >= 0),
    cancelled_n BIGINT NOT NULL CHECK (cancelled_n >= 0),
    paid        BIGINT NOT NULL CHECK (paid >= 0),
    paid_n      BIGINT NOT NULL CHECK (paid_n >= 0),
    back        BIGINT NOT NULL CHECK (back >= 0),
    back_n      BIGINT NOT NULL CHECK (back_n >= 0),
    own         BIGINT NOT NULL CHECK (own >= 0),
    own_n       BIGINT NOT NULL CHECK (own_n >= 0),
    vouchers    BIGINT NOT NULL CHECK (vouchers >= 0),
    vouchers_n  BIGINT NOT NULL CHECK (vouchers_n >= 0),
    received    BIGINT NOT NULL, -- below 0 when more was paid to the outlet
    returned    BIGINT NOT NULL CHECK (returned >= 0), -- direct debits
    pace        BIGINT NOT NULL CHECK (pace >= 0),
    PRIMARY KEY (day, outlet, terminal, game)
);

CREATE TABLE tally_mark (
    record BIGINT PRIMARY KEY CHECK (record >= 0)
);

CREATE TABLE statement (
    record    BIGINT PRIMARY KEY CHECK (record >= 0),
    outlet    TEXT COLLATE "C" NOT NULL CHECK (outlet <> ''),
    first_day BIGINT NOT NULL,
    last_day  BIGINT NOT NULL CHECK (last_day >= first_day),
    terms     BYTEA NOT NULL CHECK (octet_length(terms) = 32),
    opening   BIGINT NOT NULL,
    vouchers  BIGINT NOT NULL CHECK (vouchers >= 0),
    received  BIGINT NOT NULL,
    returned  BIGINT NOT NULL CHECK (returned >= 0),
    closing   BIGINT NOT NULL,
    zone      TEXT NOT NULL CHECK (zone <> ''), -- of the outlet when the week ended
    at        BIGINT NOT NULL,
    UNIQUE (outlet, first_day)
);

CREATE INDEX statement_made ON statement (outlet, at); -- in the order made: of a day

CREATE TABLE statement_line (
    record      BIGINT NOT NULL REFERENCES statement (record),
    game        TEXT COLLATE "C" NOT NULL CHECK (game <> ''),
    sold        BIGINT NOT NULL CHECK (sold >= 0),
    cancelled   BIGINT NOT NULL CHECK (cancelled >= 0),
    paid        BIGINT NOT NULL CHECK (paid >= 0),
    back        BIGINT NOT NULL CHECK (back >= 0),
    commission  BIGINT NOT NULL,
    carried_num BIGINT NOT NULL CHECK (carried_num >= 0),
    carried_den BIGINT NOT NULL CHECK (carried_den > carried_num),
    PRIMARY KEY (record, game)
);

CREATE TABLE debit_step (
    statement BIGINT NOT NULL REFERENCES statement (record),
    state     TEXT COLLATE "C" NOT NULL CHECK (state IN ('sent', 'paid', 'returned')),
    amount    BIGINT NOT NULL CHECK (amount > 0),
    undone    BIGINT NOT NULL CHECK (undone IN (0, 1)),
    at        BIGINT NOT NULL,
    record    BIGINT NOT NULL CHECK (record >= 0),
    PRIMARY KEY (statement, state)
);
CREATE INDEX debit_step_sent ON debit_step (record) WHERE state = 'sent'; -- by file

CREATE TABLE notice (
    record   BIGINT PRIMARY KEY CHECK (record >= 0),
    outlet   TEXT COLLATE "C" NOT NULL, -- '': all
    fr       TEXT COLLATE "C" NOT NULL,
    en       TEXT COLLATE "C" NOT NULL,
    until_at BIGINT NOT NULL CHECK (until_at >= 0),
    at       BIGINT NOT NULL
);

-- Notices taken back, once each.
CREATE TABLE retraction (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    notice BIGINT NOT NULL UNIQUE REFERENCES notice (record)
);

-- Private: in no journal, and changed as needed.

CREATE TABLE password (
    login   TEXT COLLATE "C" PRIMARY KEY CHECK (login <> ''),
    officer TEXT COLLATE "C" NOT NULL UNIQUE CHECK (officer <> ''),
    hash    TEXT COLLATE "C" NOT NULL CHECK (hash <> ''),
    issued  BIGINT NOT NULL CHECK (issued IN (0, 1))
);

CREATE TABLE device (
    terminal TEXT COLLATE "C" PRIMARY KEY CHECK (terminal <> ''),
    hash     BYTEA NOT NULL UNIQUE CHECK (octet_length(hash) = 32)
);

-- The network printer of a terminal.
CREATE TABLE printer (
    terminal TEXT COLLATE "C" PRIMARY KEY CHECK (terminal <> ''),
    address  TEXT NOT NULL CHECK (address <> ''),
    auto     BIGINT NOT NULL CHECK (auto IN (0, 1)) -- each ticket, as it is sold
);

-- Tickets and deposit vouchers that were printed: what is printed after that is marked a duplicate. Of a
-- voucher each print has a row; of a ticket the first has, for its reprints are in the journal.
CREATE TABLE printed (
    ticket  BIGINT NOT NULL CHECK (ticket >= 0),
    copy    BIGINT NOT NULL CHECK (copy >= 0), -- 0: the first print
    command TEXT NOT NULL CHECK (command <> ''), -- key of the command that printed it
    PRIMARY KEY (ticket, copy)
);

CREATE TABLE session (
    token_hash BYTEA PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    kind       TEXT COLLATE "C" NOT NULL CHECK (kind <> ''),
    subject    TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX session_expiry ON session (expires_at);
CREATE INDEX session_subject ON session (subject);

-- Secrets of pools, sealed under the key of the system, by their hash.
CREATE TABLE sealed_secret (
    hash   BYTEA NOT NULL PRIMARY KEY CHECK (octet_length(hash) = 32),
    sealed BYTEA NOT NULL
);

-- The withdrawals that are neither paid nor returned, so that they are found
-- whatever there was before. Derived, and changed in the turn that takes a step.
CREATE TABLE withdrawal_open (
    state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('asked', 'sent')),
    withdrawal BIGINT NOT NULL REFERENCES withdrawal (record),
    PRIMARY KEY (state, withdrawal)
);

-- The last record that tells of a player: they form a chain, newest first.
-- Derived, and changed in the turn that appends one.
CREATE TABLE chain (
    player BIGINT PRIMARY KEY CHECK (player > 0), -- name
    last   BIGINT NOT NULL CHECK (last >= 0)
);

-- Who a player is, and how he signs on. A player is nobody else's second
-- account: identity is a keyed hash of name, birth date and place.
CREATE TABLE person (
    player       TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (player <> ''),
    email        TEXT COLLATE "C" NOT NULL UNIQUE CHECK (email <> ''), -- in lower case
    identity     BYTEA NOT NULL UNIQUE CHECK (octet_length(identity) = 32),
    first_name   TEXT COLLATE "C" NOT NULL,
    last_name    TEXT COLLATE "C" NOT NULL,
    name_folded  TEXT COLLATE "C" NOT NULL, -- for the search: without case and accents
    birth_day    BIGINT NOT NULL,
    birth_place  TEXT COLLATE "C" NOT NULL,
    lang         TEXT COLLATE "C" NOT NULL,
    password     TEXT COLLATE "C" NOT NULL,
    totp         BYTEA NOT NULL, -- sealed; empty: none
    totp_step    BIGINT NOT NULL  -- the last one used: a code holds once
);

-- Passkeys (WebAuthn) of players.
CREATE TABLE passkey (
    id     BYTEA NOT NULL PRIMARY KEY,
    player TEXT COLLATE "C" NOT NULL CHECK (player <> ''),
    name   TEXT COLLATE "C" NOT NULL,
    data   BYTEA NOT NULL -- of the library, JSON
);

CREATE INDEX passkey_player ON passkey (player);

-- What a person proves by having received a message: an address, a lost
-- password. And how many sign-ons failed at an address, by a keyed hash of it.
CREATE TABLE token (
    hash       BYTEA NOT NULL PRIMARY KEY CHECK (octet_length(hash) = 32),
    purpose    TEXT COLLATE "C" NOT NULL CHECK (purpose <> ''),
    subject    TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    data       BYTEA NOT NULL
);

CREATE INDEX token_expiry ON token (expires_at);
CREATE INDEX token_subject ON token (subject);

-- Messages to players, written in the turn that they tell of and sent after it.
CREATE TABLE outbox (
    id      BIGINT PRIMARY KEY CHECK (id > 0),
    player  TEXT COLLATE "C" NOT NULL, -- '': nobody's
    address TEXT COLLATE "C" NOT NULL CHECK (address <> ''),
    subject TEXT COLLATE "C" NOT NULL,
    body    BYTEA NOT NULL, -- sealed: it has a token; empty once sent or dropped
    at      BIGINT NOT NULL, -- it was written
    next_at BIGINT NOT NULL, -- not tried before
    tries   BIGINT NOT NULL CHECK (tries >= 0),
    state   TEXT COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'sent', 'dropped'))
);

-- What waits is looked for all the time; what was sent stays, for its player to ask for.
CREATE INDEX outbox_waiting ON outbox (id) WHERE state = 'waiting';
CREATE INDEX outbox_player ON outbox (player);

-- Card payments that players began, by the reference that their provider calls back with.
CREATE TABLE card_payment (
    reference TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (reference <> ''),
    provider  TEXT COLLATE "C" NOT NULL CHECK (provider <> ''),
    player    TEXT COLLATE "C" NOT NULL CHECK (player <> ''),
    amount    BIGINT NOT NULL CHECK (amount > 0),
    at        BIGINT NOT NULL,
    paid      BIGINT NOT NULL CHECK (paid IN (0, 1)) -- and deposited
);

CREATE INDEX card_payment_waiting ON card_payment (player, at) WHERE paid = 0;
CREATE INDEX card_payment_begun ON card_payment (provider, at);

-- The Paris days of which the payments of a provider were compared with the ledger.
CREATE TABLE card_day (
    provider TEXT COLLATE "C" NOT NULL CHECK (provider <> ''),
    day      BIGINT NOT NULL,
    PRIMARY KEY (provider, day)
);

-- What a record holds the hash of, with its salt: reasons of officers, accounts to pay to.
CREATE TABLE note (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    salt   BYTEA NOT NULL CHECK (octet_length(salt) = 16),
    text   TEXT COLLATE "C" NOT NULL
);

-- Who was paid, sealed under the key of the system, by the hash that the record of the payment has.
CREATE TABLE payee (
    hash   BYTEA NOT NULL PRIMARY KEY CHECK (octet_length(hash) = 32),
    salt   BYTEA NOT NULL CHECK (octet_length(salt) = 16),
    sealed BYTEA NOT NULL,
    record BIGINT NOT NULL CHECK (record >= 0) -- of the payment; 0: not paid yet
);

CREATE INDEX payee_record ON payee (record);

-- Bank accounts that outlets are debited from, sealed, and the shifts of
-- terminals, with what their tallies were when each began and what was done in it.
CREATE TABLE mandate (
    outlet TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (outlet <> ''),
    sealed BYTEA NOT NULL
);

CREATE TABLE debit_file (
    record BIGINT PRIMARY KEY CHECK (record >= 0),
    sealed BYTEA NOT NULL
);

CREATE TABLE shift (
    id        BIGINT PRIMARY KEY CHECK (id > 0),
    terminal  TEXT COLLATE "C" NOT NULL CHECK (terminal <> ''),
    opened_at BIGINT NOT NULL,
    closed_at BIGINT NOT NULL, -- 0: open
    day       BIGINT NOT NULL, -- of the outlet, when it began
    data      BYTEA NOT NULL
);

CREATE INDEX shift_terminal ON shift (terminal, id);

-- Facts are insert-only, for the owner of the tables too.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER name_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON name FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER turn_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON turn FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER tile_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tile FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER command_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON command FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rules_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER outlet_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON outlet FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER terminal_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON terminal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER officer_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON officer FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON draw FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_step_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON draw_step FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_move_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON draw_move FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER draw_close_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON draw_close FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER result_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON result FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER share_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON share FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER jackpot_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON jackpot FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refund_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON refund FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER expiry_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON expiry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER extension_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON extension FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proposal_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON proposal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decision_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON decision FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ticket_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ticket FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER part_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON part FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cancellation_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cancellation FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stop_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stop FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reprint_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON reprint FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER posting_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON posting FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER book_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON book FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER pool_secret_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pool_secret FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER pool_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pool FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER pool_step_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON pool_step FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER unit_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON unit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER game_step_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON game_step FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER player_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON player FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER player_change_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON player_change FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER voucher_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON voucher FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER deposit_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON deposit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawal_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON withdrawal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawal_step_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON withdrawal_step FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER tally_mark_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tally_mark FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statement_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON statement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statement_line_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON statement_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER debit_step_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON debit_step FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER notice_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON notice FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER retraction_insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON retraction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
