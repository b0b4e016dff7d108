// SPDX-License-Identifier: Apache-2.0

package sign_test

import (
	"fmt"
	"testing/fstest"

	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// What is built here is signed, and read elsewhere only if a key signed it.
func Example() {
	built, err := archive.Build(fstest.MapFS{
		"cache/bundle.yaml":      {Data: []byte("kind: Bundle\n")},
		"cache/Cache/health.lua": {Data: []byte("function InterpretHealth(object) return true end\n")},
	}, "cache")
	if err != nil {
		panic(err)
	}
	key, err := sign.Generate()
	if err != nil {
		panic(err)
	}
	envelope, err := sign.Sign(key, built.Digest, nil)
	if err != nil {
		panic(err)
	}

	read, err := archive.Read("cache.tar.gz", built.Bytes)
	if err != nil {
		panic(err)
	}
	by, err := sign.Verify(envelope, read.Digest, []sign.PublicKey{key.Public})
	fmt.Println(len(read.Files), by.ID == key.Public.ID, err)

	other, err := sign.Generate()
	if err != nil {
		panic(err)
	}
	_, err = sign.Verify(envelope, read.Digest, []sign.PublicKey{other.Public})
	fmt.Println(err != nil)
	// Output:
	// 2 true <nil>
	// true
}
