// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// contentHash identifies the content of a customization: its target and its scripts. It
// is the SHA-256 of their JSON in hexadecimal.
func contentHash(cr *configv1alpha1.ResourceInterpreterCustomization) string {
	text, err := json.Marshal(cr.Spec)
	if err != nil {
		panic(err) // a struct of strings
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
