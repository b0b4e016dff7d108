// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"weak"

	"github.com/dragoman-io/dragoman/engine/script"
)

// kept finds what was compiled by the content that it was compiled from, so that a
// script whose text did not change is not compiled again. It does not keep it alive:
// a program that no rule holds any more is collected, and its entry goes with it.
type kept[T any] struct {
	mu  sync.Mutex
	all map[fingerprint]weak.Pointer[T]
}

// compiled is a program in a form that a weak pointer can point to, and the file that
// it was compiled from.
type compiled struct {
	script.Program
	file string
}

// Parts returns what the program keeps.
func (c *compiled) Parts() []script.Part { return script.Parts(c.Program) }

// locate names the file in an error about a result that does not name one: whoever
// reads a result does not know what it came from.
func locate(err error, program script.Program) error {
	var failure *script.Error
	c, known := program.(*compiled)
	if known && errors.As(err, &failure) && failure.Code == script.Result && failure.File == "" {
		failure.File = c.file
	}
	return err
}

// fingerprint is the SHA-256 of all that a compilation depends on.
type fingerprint [sha256.Size]byte

// get returns what a fingerprint stands for, or makes it. Errors are not kept.
func (p *kept[T]) get(of fingerprint, compile func() (*T, error)) (*T, error) {
	if found := p.find(of); found != nil {
		return found, nil
	}
	made, err := compile()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if other := p.all[of].Value(); other != nil {
		return other, nil
	}
	if p.all == nil {
		p.all = map[fingerprint]weak.Pointer[T]{}
	}
	p.all[of] = weak.Make(made)
	runtime.AddCleanup(made, p.drop, of)
	return made, nil
}

func (p *kept[T]) find(of fingerprint) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[of].Value()
}

// drop removes the entry of what was collected, unless another took its place.
func (p *kept[T]) drop(of fingerprint) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[of].Value() == nil {
		delete(p.all, of)
	}
}

// fingerprint identifies what a script compiles to. The file is part of it, because
// errors of a program name it. Coverage and a recording are not: a script with one is never kept. Nor
// is the operation of a module, whose program answers as many as it has functions for.
func (u Script) fingerprint(language string) fingerprint {
	h := sha256.New()
	write(h, language, u.File, u.Text, u.Module)
	if u.Module == "" {
		write(h, string(u.Operation))
	}
	write(h, fmt.Sprintf("%v %#v %#v", u.Strict, u.Limits, u.Params), u.Modules.fingerprint())
	var sum fingerprint
	h.Sum(sum[:0])
	return sum
}

// write writes the number of texts, and each with its length in front, so that no two
// lists of texts look alike.
func write(w io.Writer, texts ...string) {
	length := binary.AppendUvarint(nil, uint64(len(texts)))
	for _, t := range texts {
		length = binary.AppendUvarint(length, uint64(len(t)))
		_, _ = w.Write(length) // a hash takes all
		_, _ = io.WriteString(w, t)
		length = length[:0]
	}
}
