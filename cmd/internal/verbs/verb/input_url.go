// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// fetchTimeout is how long a URL may take, with all its redirects and the text.
	fetchTimeout = 30 * time.Second
	// maxRedirects is how many redirects are followed.
	maxRedirects = 5
)

// IsURL reports whether an argument is a URL that can be read.
func IsURL(arg string) bool {
	scheme, _, found := strings.Cut(arg, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// fetchURL returns the text of a URL, and the URL for messages, without a password. The error names it
// and what to do.
func fetchURL(address string) (string, []byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "URL", nil, fmt.Errorf("the URL cannot be read: %w", errors.Unwrap(err))
	}
	name := u.Redacted()
	if u.Host == "" {
		return name, nil, fmt.Errorf("%s: the URL has no host", name)
	}
	client := &http.Client{Timeout: fetchTimeout, CheckRedirect: checkRedirect}
	response, err := client.Get(address)
	if err != nil {
		return name, nil, fmt.Errorf("%s: %w", name, fetchError(err))
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return name, nil, fmt.Errorf("%s: the server answered %s; see whether the URL is right, or download the file and pass it by its path", name, response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxInput+1))
	if err != nil {
		return name, nil, fmt.Errorf("%s: %w", name, fetchError(err))
	}
	return name, data, checkContent(name, response.Header.Get("Content-Type"), data)
}

// checkRedirect refuses too many redirects, and those to what is not encrypted.
func checkRedirect(next *http.Request, before []*http.Request) error {
	switch first := before[0].URL; {
	case len(before) > maxRedirects:
		return fmt.Errorf("more than %d redirects; pass the URL that they lead to", maxRedirects)
	case next.URL.Scheme != "http" && next.URL.Scheme != "https":
		return fmt.Errorf("it redirects to a URL of %s; pass the URL of a file", next.URL.Scheme)
	case first.Scheme == "https" && next.URL.Scheme != "https":
		return fmt.Errorf("it redirects from https to http, to %s; pass that URL if you trust it", next.URL.Redacted())
	}
	return nil
}

// fetchError returns an error of a request without the URL, which the caller names.
func fetchError(err error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("there was no whole answer within %s; download the file and pass it by its path", fetchTimeout)
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// checkContent returns an error for an answer that is too long, or no file of objects: a page for
// people, or bytes.
func checkContent(name, contentType string, data []byte) error {
	kind, _, _ := mime.ParseMediaType(contentType) // one that is wrong says nothing
	start := strings.ToLower(string(bytes.TrimLeft(data[:min(len(data), 512)], "\ufeff \t\r\n")))
	switch {
	case len(data) > MaxInput:
		return fmt.Errorf("%s: it has more than %d MiB; download what is needed of it and pass the file by its path", name, MaxInput>>20)
	case kind == "text/html" || strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html"):
		return fmt.Errorf("%s: the answer is a web page, not YAML or JSON; pass the URL of the raw file", name)
	case bytes.IndexByte(data, 0) >= 0:
		return fmt.Errorf("%s: the answer is not text; want YAML or JSON", name)
	}
	return nil
}
