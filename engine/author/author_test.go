// SPDX-License-Identifier: Apache-2.0

package author

import (
	"testing"

	"github.com/dragoman-io/dragoman/engine"
)

func compiler(t *testing.T) *engine.Compiler {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
