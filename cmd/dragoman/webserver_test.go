// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// serveFiles starts a web server that has the files of a folder until the script ends, and sets a variable to
// its URL: web FOLDER VARIABLE. Below /to/ it redirects to what follows, at /loop to itself; /file leads to a
// URL that is none of the web, /big has more than may be read, and /cut ends before its end.
func serveFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: web FOLDER VARIABLE")
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	mux.HandleFunc("/to/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path[len("/to"):], http.StatusFound)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "file:///etc/hostname")
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(endless{}, verb.MaxInput+10))
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "kind: Deployment")
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL)
}

// endless is a comment without an end.
type endless struct{}

// Read fills the buffer.
func (endless) Read(into []byte) (int, error) {
	return copy(into, bytes.Repeat([]byte("#"), len(into))), nil
}
