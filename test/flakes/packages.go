// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	module = "github.com/dragoman-io/dragoman/"
	ginkgo = "github.com/onsi/ginkgo/v2"
)

// pkg is a package with tests.
type pkg struct {
	path, dir string
	// ginkgo reports whether its test program knows the flags of Ginkgo.
	ginkgo bool
	// program is the file of its test program, once it is compiled.
	program string
}

// name returns the path of the package within the module.
func (p pkg) name() string { return strings.TrimPrefix(p.path, module) }

// file returns a name for files that belong to the package.
func (p pkg) file() string { return strings.ReplaceAll(p.name(), "/", "-") }

// choose returns the packages with tests that match the patterns of go list, or without
// patterns those whose tests need servers. The path within the module must match only.
func choose(ctx context.Context, patterns []string, only *regexp.Regexp) ([]pkg, error) {
	var short []string
	if len(patterns) == 0 {
		out, err := output(ctx, "go", "run", "./test/packages", "short")
		if err != nil {
			return nil, fmt.Errorf("ask which packages need no servers: %w", err)
		}
		short, patterns = strings.Fields(string(out)), []string{module + "..."}
	}
	out, err := output(ctx, "go", append([]string{"list", "-test", "-json=ImportPath,ForTest,Dir,Deps"}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	all, err := parseList(out)
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(all, func(p pkg) bool {
		return slices.Contains(short, p.path) || !only.MatchString(p.name())
	})
	if len(chosen) == 0 {
		return nil, errors.New("there is no such package with tests")
	}
	return chosen, nil
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

// parseList reads what go list -test prints: each package, and after those that have
// tests their programs, whose paths end in .test.
func parseList(text []byte) ([]pkg, error) {
	dirs := map[string]string{}
	var all []pkg
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var listed struct {
			ImportPath, ForTest, Dir string
			Deps                     []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if of, ok := strings.CutSuffix(listed.ImportPath, ".test"); ok {
			all = append(all, pkg{path: of, ginkgo: slices.Contains(listed.Deps, ginkgo)})
		} else if listed.ForTest == "" {
			dirs[listed.ImportPath] = listed.Dir
		}
	}
	for i := range all {
		all[i].dir = dirs[all[i].path]
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// compile builds the test program of the package in a folder.
func (p *pkg) compile(ctx context.Context, folder string) error {
	p.program = filepath.Join(folder, p.file()+".test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-ldflags", "-s -w", "-o", p.program, p.path)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the tests of %s: %w\n%s", p.name(), err, out)
	}
	return nil
}
