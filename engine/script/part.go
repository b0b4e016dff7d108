// SPDX-License-Identifier: Apache-2.0

package script

// Part is memory that a program keeps, alone or with others.
type Part struct {
	// Key identifies the memory, by ==. Programs that share a part, such as a module that
	// they require, have it under the same key.
	Key any
	// Size is the number of bytes, at most.
	Size int64
}

// shared is a program that keeps memory together with others.
type shared interface {
	Parts() []Part
}

// Parts returns the parts of what a program keeps, each once. Their sizes add up to its
// Size; whoever adds up what several programs keep counts each key once.
func Parts(p Program) []Part {
	if s, ok := p.(shared); ok {
		return s.Parts()
	}
	return []Part{{Key: p, Size: p.Size()}}
}
