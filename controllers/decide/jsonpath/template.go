// SPDX-License-Identifier: Apache-2.0

package jsonpath

import (
	"errors"
	"fmt"

	"k8s.io/client-go/util/jsonpath"
)

// Template is a parsed template. Many goroutines may evaluate it.
type Template struct{ nodes []jsonpath.Node }

// Parse parses a template. The error names what is wrong with it; no text makes it panic.
func Parse(text string) (t Template, err error) {
	defer func() {
		if recover() != nil {
			t, err = Template{}, errors.New("no path can be read from it")
		}
	}()
	p, err := jsonpath.Parse("path", text)
	if err != nil {
		return Template{}, err
	}
	for _, n := range p.Root.Nodes {
		if err := checkAction(n); err != nil {
			return Template{}, err
		}
	}
	return Template{nodes: p.Root.Nodes}, nil
}

// checkAction returns an error for a word that is not where it means something: range and
// end begin what stands in braces.
func checkAction(n jsonpath.Node) error {
	action, ok := n.(*jsonpath.ListNode)
	if !ok {
		return nil
	}
	for i, inner := range action.Nodes {
		word, isWord := inner.(*jsonpath.IdentifierNode)
		switch {
		case isWord && word.Name != "range" && word.Name != "end":
			return fmt.Errorf("unknown word %.64q: a field is written .%.64s", word.Name, word.Name)
		case isWord && i > 0:
			return fmt.Errorf("%s must begin what stands in braces", word.Name)
		case isWord && word.Name == "end" && len(action.Nodes) > 1:
			return errors.New("end must stand in braces alone")
		}
	}
	return nil
}

// startsWith reports whether a node of a template is {end} or starts with range.
func startsWith(n jsonpath.Node, word string) bool {
	action, ok := n.(*jsonpath.ListNode)
	if !ok || len(action.Nodes) == 0 {
		return false
	}
	first, ok := action.Nodes[0].(*jsonpath.IdentifierNode)
	return ok && first.Name == word
}
