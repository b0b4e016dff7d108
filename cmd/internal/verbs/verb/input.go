// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// All verbs read what a flag or an argument names by these functions, so that a file, a folder, a URL
// and - are the same to each.

// InputUsage is the help of a flag for objects, or what else a file may have.
func InputUsage(what string) string {
	return "file or URL with " + what + ", a folder with such files, - for stdin"
}

// MaxInput is how much of a file is read, in bytes: more than what the readers of YAML accept, so
// that they can say that it is too much. A folder and a URL may have as much.
const MaxInput = 16 << 20

// Read returns the text of a file or of a URL and its name for messages, - is stdin. The text of a
// file that is too long to be read comes without its end.
func (s Streams) Read(file string) (string, []byte, error) {
	switch {
	case file == "-":
		data, err := io.ReadAll(io.LimitReader(s.In, MaxInput))
		if err != nil {
			err = fmt.Errorf("read stdin: %w", err)
		}
		return "stdin", data, err
	case IsURL(file):
		name, data, err := fetchURL(file)
		return name, data, err
	}
	f, err := os.Open(file)
	if err != nil {
		return file, nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return file, nil, fmt.Errorf("%s is a folder; name a file, a URL, or - for stdin", filepath.ToSlash(file))
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxInput))
	return file, data, err
}

// Text is what one file has.
type Text struct {
	Name string
	Data []byte
}

// Texts returns the text of a file, of a URL or of stdin, or those of the files of a folder with
// YAML or JSON, and of the folders below it, sorted. Hidden ones are passed over.
func (s Streams) Texts(file string) ([]Text, error) {
	if info, err := os.Stat(file); file == "-" || IsURL(file) || err != nil || !info.IsDir() {
		name, data, err := s.Read(file)
		return []Text{{name, data}}, err
	}
	var all []Text
	left := MaxInput
	err := fs.WalkDir(HostFS{}, path.Clean(filepath.ToSlash(file)), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case bundle.Hidden(d.Name()) && name != path.Clean(filepath.ToSlash(file)):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
			return nil
		}
		_, data, err := s.Read(filepath.FromSlash(name))
		if left -= len(data); left <= 0 {
			return fmt.Errorf("%s: its files have more than %d MiB together; name one of them", filepath.ToSlash(file), MaxInput>>20)
		}
		all = append(all, Text{name, data})
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: there is no file with YAML or JSON in this folder, nor below it", filepath.ToSlash(file))
	}
	return all, err
}

// Documents returns the objects of a file, of a URL, of stdin or of a folder, and those of lists in
// them.
func (s Streams) Documents(file string) ([]source.Document, error) {
	texts, err := s.Texts(file)
	if err != nil {
		return nil, err
	}
	var (
		all  []source.Document
		errs []error
	)
	for _, t := range texts {
		found, err := source.Documents(t.Name, t.Data)
		all, errs = append(all, found...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// Document returns the one object of a file, of a URL, of stdin or of a folder; it may be the only
// item of a list.
func (s Streams) Document(file string) (source.Document, error) {
	all, err := s.Documents(file)
	switch {
	case err != nil:
		return source.Document{}, err
	case len(all) == 1:
		return all[0], nil
	}
	var names []string
	for _, d := range all[:min(len(all), maxNamed)] {
		names = append(names, d.Object.GetKind()+"/"+d.Object.GetName())
	}
	if len(all) > maxNamed {
		names = append(names, "…")
	}
	if len(names) == 0 {
		return source.Document{}, fmt.Errorf("%s: want one object, got none", file)
	}
	return source.Document{}, fmt.Errorf("%s: want one object, got %d: %s", file, len(all), strings.Join(names, ", "))
}

// maxNamed is how many objects a message names.
const maxNamed = 10

// OnceStdin returns an error where more than one of the paths is -.
func OnceStdin(paths []string) error {
	if i := slices.Index(paths, "-"); i >= 0 && slices.Contains(paths[i+1:], "-") {
		return errors.New("stdin can be read only once; pass - once")
	}
	return nil
}
