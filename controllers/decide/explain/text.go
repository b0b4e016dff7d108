// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Text returns a chain for people: the first broken link with what to do, then all links
// with their items. Times are relative to now.
func (c *Chain) Text(now time.Time) string {
	var out strings.Builder
	if first := c.First(); first == nil {
		fmt.Fprintf(&out, "%s: all is well\n", c.Object)
	} else {
		fmt.Fprintf(&out, "%s: %s at %s\n", c.Object, first.State, first.Name)
		fmt.Fprintf(&out, "  %s\n", join(": ", first.Subject, join(": ", first.Reason, first.Message)+since(first.Since, now)))
		if first.Advice != "" {
			fmt.Fprintf(&out, "  To do: %s\n", first.Advice)
		}
	}
	out.WriteString("\n")
	for i := range c.Links {
		l := &c.Links[i]
		line(&out, fmt.Sprintf("%-9s %-9s", l.Name, l.State), l.short(), now)
		for j := range l.Items {
			line(&out, fmt.Sprintf("  %-9s", l.Items[j].State), &l.Items[j], now)
		}
	}
	return out.String()
}

// short returns the finding of the link, without a message that an item repeats.
func (l *Link) short() *Finding {
	for i := range l.Items {
		if item := &l.Items[i]; item.Message == l.Message && item.Subject == l.Subject {
			return &Finding{Subject: l.Subject, Reason: l.Reason}
		}
	}
	return &l.Finding
}

// line writes one finding behind its first columns.
func line(out *strings.Builder, columns string, f *Finding, now time.Time) {
	text := join(": ", f.Subject, join(": ", f.Reason, f.Message))
	fmt.Fprintln(out, strings.TrimRight(columns+" "+text+since(f.Since, now), " "))
}

// join joins the texts that are not empty.
func join(by string, texts ...string) string {
	var parts []string
	for _, t := range texts {
		if t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, by)
}

func since(t *metav1.Time, now time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return " (" + duration.HumanDuration(now.Sub(t.Time)) + " ago)"
}
