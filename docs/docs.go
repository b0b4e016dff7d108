// SPDX-License-Identifier: Apache-2.0

// Package docs holds the pages of this folder, so that a program can print them.
package docs

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Page returns the text of a page by its name, such as cases. It is an error if there is none.
func Page(name string) (string, error) {
	text, err := pages.ReadFile(name + ".md")
	if err != nil {
		return "", fmt.Errorf("there is no page %s", name)
	}
	return string(text), nil
}

// Section returns the part of a page below a heading of the second level, such as Laws, with the
// heading. It is an error if there is none.
func Section(name, heading string) (string, error) {
	text, err := Page(name)
	if err != nil {
		return "", err
	}
	_, after, found := strings.Cut(text, "\n## "+heading+"\n")
	if !found {
		return "", fmt.Errorf("page %s has no heading %q", name, heading)
	}
	section, _, _ := strings.Cut(after, "\n## ")
	return "## " + heading + "\n" + strings.TrimRight(section, "\n") + "\n", nil
}
