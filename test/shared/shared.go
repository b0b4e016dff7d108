// SPDX-License-Identifier: Apache-2.0

// Package shared finds data that tests read but that is not part of the repository: the
// folder shared beside it, with Karmada's published cases (cases), sample objects as
// other projects publish them (real) and the documents that describe the system asked
// for (seeds). Everything that a test reads there is beside what the repository's own
// data proves.
package shared

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Folder returns the path of a folder of the shared data. Where it is absent, the test
// fails if the environment has CI=true, and is skipped otherwise; the message names the
// folder.
func Folder(t testing.TB, name string) string {
	t.Helper()
	folder, err := find(name)
	if err == nil {
		return folder
	}
	if required, _ := strconv.ParseBool(os.Getenv("CI")); required {
		t.Fatalf("CI=true asks for the shared data: %v", err)
	}
	t.Skipf("not tested, since CI is not true: %v", err)
	return ""
}

// find returns the folder in shared, which is beside the root of this module.
func find(name string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(filepath.Dir(root), "shared", name)
	if entries, err := os.ReadDir(folder); err != nil {
		return "", fmt.Errorf("%s of the data beside the repository is missing: %w", name, err)
	} else if len(entries) == 0 {
		return "", fmt.Errorf("%s of the data beside the repository is missing: %s is empty", name, folder)
	}
	return folder, nil
}

// module is the first line of the product's go.mod. Modules below it have others.
const module = "module github.com/dragoman-io/dragoman\n"

// moduleRoot returns the closest folder at or above the working directory, which go test
// sets to that of the package, that has the go.mod of the product.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if text, err := os.ReadFile(filepath.Join(folder, "go.mod")); err == nil && strings.HasPrefix(string(text), module) {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("no go.mod of the product is at or above the working directory")
		}
		folder = parent
	}
}
