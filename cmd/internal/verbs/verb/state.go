// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"fmt"
	"maps"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
)

// State is the value of the flag state: pairs, and files that hold some. The zero value is no state.
type State struct {
	pairs map[string]string
	value pflag.Value // of pairs
	// Files are those that were named, - for stdin.
	Files []string

	read map[string]string
}

// AddStateFlag adds the flag to those of a verb.
func AddStateFlag(f *pflag.FlagSet, s *State) {
	pairs := pflag.NewFlagSet("", pflag.ContinueOnError)
	pairs.StringToStringVar(&s.pairs, "state", nil, "")
	s.value = pairs.Lookup("state").Value
	f.Var(s, "state", "state as key=value, or a file or URL with such a map or with the answer of InterpretState, - for stdin; for "+OperationsWith(engine.StateParam)+"; can be repeated, the last value of a key counts and pairs go before files")
}

// Set takes one value of the flag.
func (s *State) Set(text string) error {
	if strings.Contains(text, "=") && !IsURL(text) {
		return s.value.Set(text)
	}
	s.Files = append(s.Files, text)
	return nil
}

// String is the value as help shows it.
func (s *State) String() string { return "" }

// Type is what help calls a value.
func (s *State) Type() string { return "key=value|file" }

// Read returns the state, nil where none was given. Files are read once.
func (s *State) Read(streams Streams) (map[string]string, error) {
	if s.read != nil || len(s.Files) == 0 && len(s.pairs) == 0 {
		return s.read, nil
	}
	all := map[string]string{}
	for _, file := range s.Files {
		name, data, err := streams.Read(file)
		if err != nil {
			return nil, fmt.Errorf("state %q: want key=value, or a file with a map of texts: %w", file, err)
		}
		state, err := source.State(name, data)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, state)
	}
	maps.Copy(all, s.pairs)
	s.read = all
	return all, nil
}
