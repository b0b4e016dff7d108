// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"net/url"
	"path"
	"strings"
)

// pathOf returns the path of a file with slashes that a URI names, such as /home/a/b.lua or
// C:/a/b.lua. A URI of another scheme, as that of a document without a file, is its own path.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	name := path.Clean(u.Path)
	if isDrive(name) {
		name = strings.ToUpper(name[1:2]) + name[2:]
	}
	if u.Host != "" && u.Host != "localhost" {
		name = "//" + u.Host + name
	}
	return name
}

// isDrive reports whether a path begins with the drive of a Windows path, as /c:/a does.
func isDrive(name string) bool {
	return len(name) >= 3 && name[0] == '/' && name[2] == ':' && (len(name) == 3 || name[3] == '/')
}

// hasFile reports whether the path of a document is that of a file.
func hasFile(name string) bool {
	return strings.HasPrefix(name, "/") || isDrive("/"+name)
}

// uriOf returns the URI of a path.
func uriOf(name string) string {
	if !hasFile(name) {
		return name
	}
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}
