// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"fmt"
	"path/filepath"

	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// maxKey is how much of the file of a key is read.
const maxKey = 64 << 10

// ReadKeys reads public keys from files.
func ReadKeys(files []string) ([]sign.PublicKey, error) {
	var keys []sign.PublicKey
	for _, file := range files {
		key, _, err := ReadPublicKey(file)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// ReadPublicKey reads a public key from a file, and returns it with its text.
func ReadPublicKey(file string) (sign.PublicKey, []byte, error) {
	text, err := readBytes(file, maxKey)
	if err != nil {
		return sign.PublicKey{}, nil, err
	}
	key, err := sign.ParsePublicKey(text)
	if err != nil {
		return key, nil, fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
	}
	return key, text, nil
}

// ReadPrivateKey reads a key that signs.
func ReadPrivateKey(file string) (sign.PrivateKey, error) {
	text, err := readBytes(file, maxKey)
	if err != nil {
		return sign.PrivateKey{}, err
	}
	key, err := sign.ParsePrivateKey(text)
	if err != nil {
		return key, fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
	}
	return key, nil
}
