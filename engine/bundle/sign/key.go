// SPDX-License-Identifier: Apache-2.0

package sign

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
)

const (
	privateBlock = "PRIVATE KEY"
	publicBlock  = "PUBLIC KEY"
)

// PublicKey is a key that verifies signatures.
type PublicKey struct {
	// ID is its id; see the comment of the package.
	ID  string
	key ed25519.PublicKey
}

// PrivateKey is a key that signs.
type PrivateKey struct {
	Public PublicKey
	key    ed25519.PrivateKey
}

// Generate returns a new key.
func Generate() (PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("generate a key: %w", err)
	}
	return newPrivateKey(key)
}

func newPrivateKey(key ed25519.PrivateKey) (PrivateKey, error) {
	public, err := newPublicKey(key.Public())
	return PrivateKey{public, key}, err
}

func newPublicKey(key any) (PublicKey, error) {
	public, ok := key.(ed25519.PublicKey)
	if !ok {
		return PublicKey{}, fmt.Errorf("a key of the type %T; want an ed25519 key", key)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return PublicKey{}, err
	}
	sum := sha256.Sum256(der)
	return PublicKey{"sha256:" + hex.EncodeToString(sum[:]), public}, nil
}

// PEM returns the key in the form that ParsePrivateKey reads.
func (k PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: privateBlock, Bytes: der}), nil
}

// PEM returns the key in the form that ParsePublicKey reads.
func (k PublicKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(k.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: publicBlock, Bytes: der}), nil
}

// ParsePrivateKey reads a PEM file with one ed25519 key in the form PKCS #8, which is not
// encrypted.
func ParsePrivateKey(text []byte) (PrivateKey, error) {
	block, err := only(text)
	switch {
	case err != nil:
		return PrivateKey{}, err
	case block.Type == publicBlock:
		return PrivateKey{}, errors.New("this is a public key; sign with the private key that belongs to it")
	case block.Type == "ENCRYPTED "+privateBlock:
		return PrivateKey{}, errors.New("the key is encrypted; decrypt it before, such as by openssl pkey")
	case block.Type != privateBlock:
		return PrivateKey{}, fmt.Errorf("a PEM block %q; want %q, an ed25519 key in the form PKCS #8", block.Type, privateBlock)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("not a key in the form PKCS #8: %w", err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return PrivateKey{}, fmt.Errorf("a key of the type %T; want an ed25519 key", parsed)
	}
	return newPrivateKey(key)
}

// ParsePublicKey reads a PEM file with one ed25519 key in the form PKIX.
func ParsePublicKey(text []byte) (PublicKey, error) {
	block, err := only(text)
	switch {
	case err != nil:
		return PublicKey{}, err
	case block.Type == privateBlock || block.Type == "ENCRYPTED "+privateBlock:
		return PublicKey{}, errors.New("this is a private key; verify with the public key that belongs to it, and keep this one secret")
	case block.Type != publicBlock:
		return PublicKey{}, fmt.Errorf("a PEM block %q; want %q, an ed25519 key in the form PKIX", block.Type, publicBlock)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return PublicKey{}, fmt.Errorf("not a key in the form PKIX: %w", err)
	}
	return newPublicKey(parsed)
}

// only returns the one block of a PEM file.
func only(text []byte) (*pem.Block, error) {
	block, rest := pem.Decode(text)
	if block == nil {
		return nil, errors.New("not a PEM file; want a key as dragoman sign --generate-key and openssl write it")
	}
	if more, _ := pem.Decode(rest); more != nil {
		return nil, errors.New("more than one key in a file; want one")
	}
	return block, nil
}
