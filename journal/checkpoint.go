package journal

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

var (
	// ErrCheckpoint is bytes that are not a checkpoint of the log, or not signed by it.
	ErrCheckpoint = errors.New("not a checkpoint of this log")
	// ErrProofText is bytes that are not the text of a proof.
	ErrProofText = errors.New("not the text of a proof")
	// ErrOrigin is a name that cannot stand in a signed note.
	ErrOrigin = errors.New("not an origin")
)

// Checkpoint is what the log says of itself: its size and root (C2SP tlog-checkpoint).
type Checkpoint struct {
	Origin string // the log's name, and that of its key: "lottery.example/log"
	Size   uint64
	Root   Hash
}

// Sign returns the checkpoint as a signed note. The signer's name must be the origin.
func (c Checkpoint) Sign(signer note.Signer) ([]byte, error) {
	if signer.Name() != c.Origin {
		return nil, fmt.Errorf("sign checkpoint of %s: %w: key of %s", c.Origin, ErrOrigin, signer.Name())
	}
	b, err := note.Sign(&note.Note{Text: c.text()}, signer)
	if err != nil {
		return nil, fmt.Errorf("sign checkpoint of %s: %w", c.Origin, err)
	}
	return b, nil
}

func (c Checkpoint) text() string {
	return c.Origin + "\n" + strconv.FormatUint(c.Size, 10) + "\n" +
		base64.StdEncoding.EncodeToString(c.Root[:]) + "\n"
}

// OpenCheckpoint reads a signed checkpoint. It returns [ErrCheckpoint] unless
// the verifier's key signed it and its origin is the verifier's name.
// Signatures of others (witnesses) and extension lines are passed over.
func OpenCheckpoint(msg []byte, verifier note.Verifier) (Checkpoint, error) {
	n, err := note.Open(msg, note.VerifierList(verifier))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	lines := strings.SplitN(n.Text, "\n", 4)
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return Checkpoint{}, fmt.Errorf("%w: origin %.80q", ErrCheckpoint, lines[0])
	}
	c := Checkpoint{Origin: lines[0]}
	c.Size, err = strconv.ParseUint(lines[1], 10, 64)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: size %.40q", ErrCheckpoint, lines[1])
	}
	if c.Root, err = parseHash(lines[2]); err != nil {
		return Checkpoint{}, fmt.Errorf("%w: root %.80q", ErrCheckpoint, lines[2])
	}
	// Written again it must be the same, so a size such as "007" is refused.
	if !strings.HasPrefix(n.Text, c.text()) {
		return Checkpoint{}, fmt.Errorf("%w: size %.40q", ErrCheckpoint, lines[1])
	}
	return c, nil
}

// NewSigner returns the log's signer of signed notes (C2SP signed-note,
// Ed25519). It returns [ErrOrigin] for a name with spaces or a plus sign.
func NewSigner(origin string, private ed25519.PrivateKey) (note.Signer, error) {
	vkey, err := VerifierKey(origin, private.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		return nil, fmt.Errorf("%w: %.80q: %w", ErrOrigin, origin, err)
	}
	return signer{name: origin, hash: v.KeyHash(), private: private}, nil
}

// VerifierKey returns the public key in the form of signed notes ("vkey"):
// name, key hash and key. It returns [ErrOrigin] as [NewSigner] does.
func VerifierKey(origin string, public ed25519.PublicKey) (string, error) {
	vkey, err := note.NewEd25519VerifierKey(origin, public)
	if err == nil {
		_, err = note.NewVerifier(vkey)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %.80q: %w", ErrOrigin, origin, err)
	}
	return vkey, nil
}

// signer signs notes with a key that is held elsewhere in its standard form.
type signer struct {
	name    string
	hash    uint32
	private ed25519.PrivateKey
}

func (s signer) Name() string                    { return s.name }
func (s signer) KeyHash() uint32                 { return s.hash }
func (s signer) Sign(msg []byte) ([]byte, error) { return ed25519.Sign(s.private, msg), nil }

const proofHeader = "c2sp.org/tlog-proof@v1"

// FormatProof returns a proof that the record at index is in the log, in text
// (C2SP tlog-proof): its hashes and the signed checkpoint that they lead to.
func FormatProof(index uint64, proof []Hash, checkpoint []byte) []byte {
	b := fmt.Appendf(nil, "%s\nindex %d\n", proofHeader, index)
	for _, h := range proof {
		b = base64.StdEncoding.AppendEncode(b, h[:])
		b = append(b, '\n')
	}
	b = append(b, '\n')
	return append(b, checkpoint...)
}

// proofHashesMax is the length of the longest proof of inclusion.
const proofHashesMax = 64

// ParseProof reads the text of a proof. Neither hashes nor checkpoint are
// verified. A line of extra data, which no signature covers, is passed over.
// It returns [ErrProofText].
func ParseProof(text []byte) (index uint64, proof []Hash, checkpoint []byte, err error) {
	head, rest, ok := bytes.Cut(text, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !ok || lines[0] != proofHeader {
		return 0, nil, nil, fmt.Errorf("%w: no header or no checkpoint", ErrProofText)
	}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		if _, err := base64.StdEncoding.Strict().DecodeString(lines[0][len("extra "):]); err != nil {
			return 0, nil, nil, fmt.Errorf("%w: extra line", ErrProofText)
		}
		lines = lines[1:]
	}
	if len(lines) == 0 || len(lines) > 1+proofHashesMax {
		return 0, nil, nil, fmt.Errorf("%w: %d lines", ErrProofText, len(lines))
	}
	number, _ := strings.CutPrefix(lines[0], "index ")
	index, err = strconv.ParseUint(number, 10, 64)
	if err != nil || lines[0] != "index "+strconv.FormatUint(index, 10) {
		return 0, nil, nil, fmt.Errorf("%w: index %.40q", ErrProofText, lines[0])
	}
	for _, line := range lines[1:] {
		h, err := parseHash(line)
		if err != nil {
			return 0, nil, nil, fmt.Errorf("%w: hash %.80q", ErrProofText, line)
		}
		proof = append(proof, h)
	}
	return index, proof, rest, nil
}

// parseHash reads a hash in base64, in its one form.
func parseHash(s string) (Hash, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(b) != len(Hash{}) || base64.StdEncoding.EncodeToString(b) != s {
		return Hash{}, errors.New("not a hash")
	}
	return Hash(b), nil
}
