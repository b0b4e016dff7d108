// SPDX-License-Identifier: Apache-2.0

// Command licenses prints the licenses of the npm packages that a lock file names, as they stand
// in the folder node_modules beside it.
//
//	licenses package-lock.json
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: licenses package-lock.json")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct{ Version, License string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	for _, at := range slices.Sorted(maps.Keys(lock.Packages)) {
		name, installed := strings.CutPrefix(at, "node_modules/")
		if !installed {
			continue
		}
		license, err := os.ReadFile(filepath.Join(filepath.Dir(args[0]), filepath.FromSlash(at), "LICENSE"))
		if err != nil {
			return err
		}
		p := lock.Packages[at]
		if _, err := fmt.Fprintf(out, "%s %s (%s)\n\n%s\n\n", name, p.Version, p.License, strings.TrimSpace(string(license))); err != nil {
			return err
		}
	}
	return nil
}
