module tirage

go 1.26.0

require (
	codeberg.org/go-pdf/fpdf v0.12.0 // slips and tickets as PDF
	filippo.io/age v1.3.2 // seals the key file
	github.com/alecthomas/kong v1.17.0 // command line
	github.com/alexedwards/argon2id v1.0.0 // passwords of officers
	github.com/anishathalye/porcupine v1.3.1 // linearizability of parallel sales, in tests
	github.com/chromedp/cdproto v0.160.1 // chromedp's protocol, in browser tests
	github.com/chromedp/chromedp v0.23.1 // drives a real browser, in tests
	github.com/fxamacker/cbor/v2 v2.10.0 // deterministic CBOR of the journal (RFC 8949)
	github.com/go-webauthn/webauthn v0.18.2 // passkeys of players (WebAuthn)
	github.com/google/go-cmp v0.7.0 // readable differences, in tests
	github.com/google/uuid v1.6.0 // UUIDv7 command keys, ordered by time
	github.com/jackc/pgx/v5 v5.13.0 // PostgreSQL
	github.com/nicksnyder/go-i18n/v2 v2.7.0 // sentences in French and English
	github.com/piglig/go-qr v1.1.0 // QR codes of slips
	github.com/pquerna/otp v1.5.0 // codes of players' authenticators (RFC 4226)
	github.com/rickar/cal/v2 v2.1.13 // public holidays of France, for the end of claims
	github.com/rogpeppe/go-internal v1.16.0 // command lines as scripts, in tests
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // checks the schema of rule books, in tests
	github.com/srwiley/oksvg v0.0.0-20221011165216-be6e8873101c // reads the drawings, for paper
	github.com/srwiley/rasterx v0.0.0-20220730225603-2ab79fcdd4ef // outlines of their strokes, for paper
	github.com/transparency-dev/merkle v0.0.2 // an independent Merkle tree, in tests
	go.uber.org/goleak v1.3.0 // no goroutine outlives its owner, in tests
	go.yaml.in/yaml/v3 v3.0.6 // rule books, with line numbers
	golang.org/x/image v0.48.0 // type and shapes on slips and tickets
	golang.org/x/mod v0.43.0 // signed notes and tlog formats (C2SP)
	golang.org/x/sync v0.25.0 // errgroup: scheduler and server end together
	golang.org/x/text v0.44.0 // Accept-Language; names without case and accents
	golang.org/x/time v0.16.0 // rate limits
	modernc.org/sqlite v1.62.0 // SQLite without C
	pgregory.net/rapid v1.3.0 // property tests
)

require (
	filippo.io/hpke v0.4.0 // indirect
	github.com/boombuler/barcode v1.1.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/go-viper/mapstructure/v2 v2.5.0 // indirect
	github.com/go-webauthn/x v0.3.1 // indirect
	github.com/golang-jwt/jwt/v5 v5.3.1 // indirect
	github.com/google/go-tpm v0.9.8 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/tinylib/msgp v1.6.4 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)

replace modernc.org/libc => modernc.org/libc v1.80.1 // the version that sqlite was translated with
