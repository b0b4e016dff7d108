// SPDX-License-Identifier: Apache-2.0

package sign

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

const (
	// MediaType is that of an envelope.
	MediaType = "application/vnd.dsse.envelope.v1+json"
	// payloadType keeps a signature from being taken for one of something else.
	payloadType = "application/vnd.dragoman.bundle.digest.v1+json"
	// MaxSize bounds an envelope in bytes.
	MaxSize = 64 << 10
	// maxSignatures bounds the signatures of an envelope.
	maxSignatures = 32
)

// Envelope holds the signatures of one digest. It is not changed.
type Envelope struct {
	// Digest is what was signed.
	Digest string
	// Signatures are sorted by key, one for each.
	Signatures []Signature
}

// Signature is a signature, and the key that is said to have made it.
type Signature struct {
	KeyID string
	Bytes []byte
}

// wire is the form of an envelope in JSON.
type wire struct {
	PayloadType string          `json:"payloadType"`
	Payload     []byte          `json:"payload"`
	Signatures  []wireSignature `json:"signatures"`
}

type wireSignature struct {
	KeyID string `json:"keyid"`
	Bytes []byte `json:"sig"`
}

// payload is what is signed.
type payload struct {
	Digest string `json:"digest"`
}

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// body returns the payload of a digest, and the bytes that are signed: the pre-authentication
// encoding of DSSE.
func body(digest string) (text, signed []byte) {
	text = []byte(`{"digest":"` + digest + `"}`)
	return text, fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(text), text)
}

// Sign returns an envelope for a digest with the signatures of before, which is nil or of the same
// digest, and that of the key.
func Sign(key PrivateKey, digest string, before *Envelope) (*Envelope, error) {
	if !digestPattern.MatchString(digest) {
		return nil, fmt.Errorf("%q is no digest; want sha256: and 64 hexadecimal digits", digest)
	}
	e := &Envelope{Digest: digest}
	if before != nil {
		if before.Digest != digest {
			return nil, fmt.Errorf("the signatures there are of %s, not of %s", before.Digest, digest)
		}
		e.Signatures = slices.DeleteFunc(slices.Clone(before.Signatures), func(s Signature) bool { return s.KeyID == key.Public.ID })
	}
	if len(e.Signatures) == maxSignatures {
		return nil, fmt.Errorf("too many signatures: at most %d are kept", maxSignatures)
	}
	_, signed := body(digest)
	e.Signatures = append(e.Signatures, Signature{key.Public.ID, ed25519.Sign(key.key, signed)})
	slices.SortFunc(e.Signatures, func(a, b Signature) int { return strings.Compare(a.KeyID, b.KeyID) })
	return e, nil
}

// JSON returns the envelope in the form that Parse reads, with a new line at its end.
func (e *Envelope) JSON() ([]byte, error) {
	w := wire{PayloadType: payloadType}
	w.Payload, _ = body(e.Digest)
	for _, s := range e.Signatures {
		w.Signatures = append(w.Signatures, wireSignature(s))
	}
	text, err := json.Marshal(w)
	return append(text, '\n'), err
}

// Parse reads an envelope from anywhere. It verifies no signature.
func Parse(text []byte) (*Envelope, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("too long for an envelope of signatures: at most %d bytes are read", MaxSize)
	}
	var w wire
	if err := strictly(text, &w); err != nil {
		return nil, fmt.Errorf("not an envelope of signatures in the form DSSE: %w", err)
	}
	if w.PayloadType != payloadType {
		return nil, fmt.Errorf("an envelope of %q; want one of %q, as dragoman sign writes it", w.PayloadType, payloadType)
	}
	var p payload
	if err := strictly(w.Payload, &p); err != nil {
		return nil, fmt.Errorf("the payload of the envelope: %w", err)
	}
	e := &Envelope{Digest: p.Digest}
	if text, _ := body(p.Digest); !digestPattern.MatchString(p.Digest) || !bytes.Equal(text, w.Payload) {
		return nil, errors.New("the payload of the envelope names no digest as dragoman sign writes it")
	}
	if n := len(w.Signatures); n == 0 || n > maxSignatures {
		return nil, fmt.Errorf("an envelope of %d signatures; want 1 to %d", n, maxSignatures)
	}
	for _, s := range w.Signatures {
		if !digestPattern.MatchString(s.KeyID) || len(s.Bytes) != ed25519.SignatureSize {
			return nil, errors.New("a signature without the id of a key, or of another length than ed25519 has; sign again")
		}
		if slices.ContainsFunc(e.Signatures, func(other Signature) bool { return other.KeyID == s.KeyID }) {
			return nil, fmt.Errorf("two signatures of key %s", s.KeyID)
		}
		e.Signatures = append(e.Signatures, Signature(s))
	}
	slices.SortFunc(e.Signatures, func(a, b Signature) int { return strings.Compare(a.KeyID, b.KeyID) })
	return e, nil
}

// strictly decodes one JSON value without unknown fields and with nothing behind it.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		var bad base64.CorruptInputError
		if errors.As(err, &bad) {
			return errors.New("not in base64")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more comes behind it")
	}
	return nil
}

// Error is the error of what is not signed as it should be.
type Error struct{ message string }

// Error returns the message.
func (e *Error) Error() string { return e.message }

// Verify returns the first of the keys that signed the digest. The envelope is nil for what is not
// signed at all. The id in a signature is a hint for people: each signature is tried with each key.
//
// The error is an *Error, which names the keys that are said to have signed.
func Verify(e *Envelope, digest string, keys []PublicKey) (PublicKey, error) {
	switch {
	case len(keys) == 0:
		return PublicKey{}, errors.New("no key to verify with")
	case e == nil:
		return PublicKey{}, &Error{"it is not signed"}
	case e.Digest != digest:
		return PublicKey{}, &Error{fmt.Sprintf("the signature is of %s, and this is %s: it was changed after it was signed, or has the signature of another one", e.Digest, digest)}
	}
	_, signed := body(digest)
	for _, key := range keys {
		for _, s := range e.Signatures {
			if ed25519.Verify(key.key, signed, s.Bytes) {
				return key, nil
			}
		}
	}
	var claimed, wanted []string
	for _, s := range e.Signatures {
		for _, key := range keys {
			if s.KeyID == key.ID {
				return PublicKey{}, &Error{fmt.Sprintf("the signature that names key %s is not by that key: it is forged or damaged", key.ID)}
			}
		}
		claimed = append(claimed, s.KeyID)
	}
	for _, key := range keys {
		wanted = append(wanted, key.ID)
	}
	return PublicKey{}, &Error{fmt.Sprintf("it is signed by %s, and not by %s", strings.Join(claimed, ", "), strings.Join(wanted, " or "))}
}
