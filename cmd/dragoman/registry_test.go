// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"
)

// The user of a registry that asks for a password.
const user, password = "me", "secret"

// startRegistry starts a registry on a free port of 127.0.0.1, and sets the variable NAME to its
// host and port: registry NAME [tls|auth|away|changed|longer|index]...
//
//	tls      speaks TLS, with a certificate of $WORK/NAME.pem
//	auth     wants a user and a password
//	away     has ended already
//	changed  sends blobs in which a byte is changed
//	longer   sends blobs with a byte more
//	index    sends manifests of another media type
func startRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: registry NAME [tls|auth|away|changed|longer|index]...")
	}
	name, modes := args[0], args[1:]
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	for _, mode := range modes {
		switch mode {
		case "auth":
			handler = withPassword(handler)
		case "changed", "longer", "index":
			handler = tampering(handler, mode)
		case "tls", "away":
		default:
			ts.Fatalf("unknown mode %s", mode)
		}
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if slices.Contains(modes, "tls") {
		server.StartTLS()
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		ts.Check(os.WriteFile(ts.MkAbs(name+".pem"), text, 0o600))
	} else {
		server.Start()
	}
	ts.Setenv(name, server.Listener.Addr().String())
	if slices.Contains(modes, "away") {
		server.Close()
		return
	}
	ts.Defer(server.Close)
}

// withPassword refuses requests without the user and the password.
func withPassword(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u, p, ok := r.BasicAuth(); !ok || u != user || p != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}`)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// tampering changes what is sent.
func tampering(next http.Handler, mode string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		blob := strings.Contains(r.URL.Path, "/blobs/sha256:") && r.Method == http.MethodGet
		manifest := strings.Contains(r.URL.Path, "/manifests/") && (r.Method == http.MethodGet || r.Method == http.MethodHead)
		if mode == "index" && !manifest || mode != "index" && !blob {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		switch {
		case answer.Code != http.StatusOK:
		case mode == "changed":
			body[len(body)/2] ^= 1
		case mode == "longer":
			body = append(body, '\n')
		case mode == "index":
			w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
		}
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.WriteHeader(answer.Code)
		_, _ = io.Copy(w, bytes.NewReader(body))
	})
}

// login writes $WORK/docker/config.json with a password for a registry: login HOST PASSWORD.
func login(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: login HOST PASSWORD")
	}
	text, err := json.Marshal(map[string]any{"auths": map[string]any{args[0]: map[string]any{"auth": []byte(user + ":" + args[1])}}})
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.MkAbs("docker"), 0o700))
	ts.Check(os.WriteFile(filepath.Join(ts.MkAbs("docker"), "config.json"), text, 0o600))
	ts.Setenv("DOCKER_CONFIG", ts.MkAbs("docker"))
}

// mode checks the mode of a file: mode 600 FILE.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode OCTAL FILE")
	}
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := info.Mode().Perm(); got != fs.FileMode(want) {
		ts.Fatalf("%s has the mode %o; want %o", args[1], got, want)
	}
}

// firstLine sets a variable to the first line of a file or of stdout: firstline NAME FILE.
func firstLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: firstline NAME FILE")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[1]), "\n")
	ts.Setenv(args[0], line)
}
