// SPDX-License-Identifier: Apache-2.0

package check

import (
	"strings"

	"github.com/google/cel-go/common/types"
)

// maxFormat is about how long the text of a type gets.
const maxFormat = 100

// format returns a type as it is written in messages.
func format(t *types.Type) string { return formatAll([]*types.Type{t}) }

// formatAll returns types with commas between them.
func formatAll(all []*types.Type) string {
	var b strings.Builder
	writeAll(&b, all)
	return b.String()
}

func writeAll(b *strings.Builder, all []*types.Type) {
	for i, t := range all {
		if b.Len() > maxFormat {
			b.WriteString("...")
			return
		}
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, t)
	}
}

func write(b *strings.Builder, t *types.Type) {
	switch t.Kind() {
	case types.ErrorKind:
		b.WriteString("!error!")
		return
	case types.NullTypeKind:
		b.WriteString("null")
		return
	case types.AnyKind:
		b.WriteString("any")
		return
	case types.DurationKind:
		b.WriteString("duration")
		return
	case types.TimestampKind:
		b.WriteString("timestamp")
		return
	}
	if len(t.Parameters()) == 0 {
		b.WriteString(t.DeclaredTypeName())
		return
	}
	b.WriteString(t.TypeName() + "(")
	writeAll(b, t.Parameters())
	b.WriteString(")")
}
