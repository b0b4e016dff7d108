// SPDX-License-Identifier: Apache-2.0

package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/scripts"
)

// small are the files of a bundle, as a folder has them.
var small = map[string]string{
	"bundle.yaml":               "apiVersion: interpreter.dragoman.io/v1alpha1\n",
	"Site/health.lua":           "function InterpretHealth(object) return true end\n",
	"Site/testdata/health.yaml": "name: a\n",
	"Site.md":                   "For people.\n",
	"lib/größe.lua":             "return {}\n",
	"LICENSE":                   "Apache-2.0\n",
}

// golden is the digest of small. It changes with Go where its compression does: then the archives
// of a release differ from those of the release before, which the changelog must say.
const golden = "sha256:bfda56cbf0f91942c2c5de6d9d6d6553e847b5af781cf131ab98df35b2b3bbff"

func folder(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys["web/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func build(t testing.TB, fsys fs.FS, dir string) *archive.Archive {
	t.Helper()
	a, err := archive.Build(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Two folders with the same files, written in another order, with other times and modes, and with
// files that are no part of the bundle, have the same archive.
func TestArchivesAreReproducible(t *testing.T) {
	names := slices.Sorted(maps.Keys(small))
	var all []*archive.Archive
	for i, mode := range []fs.FileMode{0o600, 0o755} {
		slices.Reverse(names)
		dir := t.TempDir()
		for n, name := range names {
			file := filepath.Join(dir, filepath.FromSlash(name))
			at := time.Unix(int64(1_700_000_000+i*100_000+n), 0)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(small[name]), mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 {
			for name, text := range map[string]string{".dragomanignore": "*.bak\n", ".git": "x", "Site/health.lua.bak": "x", "Site/health.lua~": "x"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		all = append(all, build(t, os.DirFS(dir), "."))
	}
	all = append(all, build(t, folder(small), "web"))
	for i, a := range all {
		if !bytes.Equal(a.Bytes, all[0].Bytes) || a.Digest != golden {
			t.Errorf("archive %d has the digest %s; want %s", i, a.Digest, golden)
		}
	}
}

func TestWhatIsBuiltIsRead(t *testing.T) {
	folders, err := fs.ReadDir(scripts.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		read++
		a := build(t, scripts.FS, folder.Name())
		b, err := archive.Read("a", a.Bytes)
		if err != nil {
			t.Errorf("%s: %v", folder.Name(), err)
			continue
		}
		again := build(t, b.FS("x"), "x")
		if b.Digest != a.Digest || again.Digest != a.Digest {
			t.Errorf("%s has the digests %s, %s and %s; want one", folder.Name(), a.Digest, b.Digest, again.Digest)
		}
		before, err := bundle.Revision(scripts.FS, folder.Name())
		if err != nil {
			t.Fatal(err)
		}
		if after, err := bundle.Revision(b.FS("."), "."); err != nil || after != before {
			t.Errorf("%s: the archive is of revision %s, %v; want %s", folder.Name(), after, err, before)
		}
	}
	if read == 0 {
		t.Error("no bundle was read")
	}
}

func TestBuildRefusesWhatNoArchiveHolds(t *testing.T) {
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	deep := strings.Repeat("d/", bundle.MaxDepth+1)
	many := fstest.MapFS{}
	for i := range bundle.MaxEntries + 1 {
		many[fmt.Sprint("web/", i)] = text("")
	}
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"a link":                {fstest.MapFS{"web/a": {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}}, "web/a: neither a file nor a folder"},
		"a device":              {fstest.MapFS{"web/a": {Mode: fs.ModeDevice}}, "web/a: neither a file nor a folder"},
		"a backslash":           {fstest.MapFS{`web/a\b`: text("")}, `no \`},
		"a character of a disk": {fstest.MapFS{`web/c:b`: text("")}, `no :`},
		"a new line":            {fstest.MapFS{"web/a\nb": text("")}, "do not print"},
		"folders too deep":      {fstest.MapFS{"web/" + deep + "a": text("")}, "folders nest deeper than 8"},
		"too many files":        {many, "web: too many entries: a bundle has at most 2000"},
		"too large files":       {fstest.MapFS{"web/a": text(strings.Repeat("x", 10<<20)), "web/b": text(strings.Repeat("x", 10<<20))}, "web/b: does not fit: the files of a bundle may have 16777216 bytes together"},
		"a wrong pattern":       {fstest.MapFS{"web/.dragomanignore": text("# x\n\n!a\n")}, "web/.dragomanignore:3: a pattern cannot take back"},
		"two cases of a name":   {fstest.MapFS{"web/A.md": text(""), "web/a.md": text("")}, `web: entry "a.md": another entry has this path, or one that differs in capital letters alone`},
		"no folder":             {fstest.MapFS{}, "web: file does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			if a, err := archive.Build(c.files, "web"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, error %v; want one with %q", a != nil, err, c.want)
			}
		})
	}
}

// entry is an entry of a hostile archive.
type entry struct {
	tar.Header
	text string
}

func file(name string) entry { return entry{tar.Header{Name: name, Mode: 0o644}, "x"} }

// pack returns an archive of entries as they are.
func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, e := range entries {
		if e.Typeflag == 0 {
			e.Typeflag = tar.TypeReg
		}
		if e.Typeflag == tar.TypeReg {
			e.Size = int64(len(e.text))
		}
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if e.Size > 0 {
			if _, err := w.Write([]byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []interface{ Close() error }{w, zipped} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// squeeze compresses bytes.
func squeeze(t testing.TB, data []byte, h gzip.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Header = h
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadRefusesHostileArchives(t *testing.T) {
	good := build(t, folder(small), "web").Bytes
	many := make([]entry, bundle.MaxEntries+1)
	for i := range many {
		many[i] = file(fmt.Sprintf("%04d", i))
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"no gzip":                      {[]byte("hello, this is text"), "not an archive of a bundle: gzip: invalid header; dragoman build makes one"},
		"nothing":                      {nil, "not an archive of a bundle"},
		"no tar":                       {squeeze(t, []byte(strings.Repeat("x", 2000)), gzip.Header{}), "the archive is damaged"},
		"cut":                          {good[:len(good)-10], "the archive is damaged"},
		"changed":                      {flipped, "the archive is damaged"},
		"bytes behind it":              {append(bytes.Clone(good), 0), "more bytes come behind the end of the archive"},
		"another archive behind it":    {append(bytes.Clone(good), good...), "more bytes come behind the end"},
		"a bomb":                       {squeeze(t, make([]byte, 64<<20), gzip.Header{}), "it unpacks to more than"},
		"too many bytes":               {make([]byte, archive.MaxSize+1), "too large: an archive has at most"},
		"a name in the header":         {squeeze(t, nil, gzip.Header{Name: "x"}), "it has a name, a comment or a time"},
		"a time in the header":         {squeeze(t, nil, gzip.Header{ModTime: time.Unix(1, 0)}), "it has a name, a comment or a time"},
		"no files":                     {pack(t), "the archive holds no file"},
		"a path upwards":               {pack(t, file("../x")), `entry "../x": a path leads from the folder of the bundle to a file in it`},
		"a path upwards in the middle": {pack(t, file("a/../../x")), "a path leads from the folder"},
		"an absolute path":             {pack(t, file("/etc/passwd")), "a path leads from the folder"},
		"a path from here":             {pack(t, file("./a")), "a path leads from the folder"},
		"a path of another system":     {pack(t, file(`a\..\b`)), `a path has no \`},
		"a disk of another system":     {pack(t, file(`C:a`)), "no :"},
		"a path that is no text":       {pack(t, file("a\xff")), "UTF-8"},
		"a hidden file":                {pack(t, file(".git/config")), "hidden files are no part of a bundle"},
		"a file of an editor":          {pack(t, file("a.lua~")), "hidden files are no part of a bundle"},
		"a long path":                  {pack(t, file(strings.Repeat("a", 2000))), "at most 1024 bytes"},
		"a path that is deep":          {pack(t, file(strings.Repeat("a/", 9)+"a")), "folders nest deeper than 8"},
		"a folder":                     {pack(t, entry{tar.Header{Name: "a/", Typeflag: tar.TypeDir}, ""}), `entry "a/": it is a folder`},
		"a symbolic link":              {pack(t, entry{tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, ""}, file("a/passwd")), `entry "a": it is a link`},
		"a hard link":                  {pack(t, entry{tar.Header{Name: "a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""}), "it is a link"},
		"a device":                     {pack(t, entry{tar.Header{Name: "a", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}, ""}), "it is a device"},
		"a file twice":                 {pack(t, file("a"), file("a")), `entry "a": it is there twice`},
		"a file in another case":       {pack(t, file("A"), file("a")), "differs in capital letters alone"},
		"a file as a folder":           {pack(t, file("a"), file("a/b")), "a folder above it is a file"},
		"a folder as a file":           {pack(t, file("A/b"), file("a")), "differs in capital letters alone"},
		"files out of order":           {pack(t, file("b"), file("a")), "the paths are not sorted"},
		"too many files":               {pack(t, many...), "too many files: a bundle has at most 2000"},
		"too large files":              {pack(t, entry{tar.Header{Name: "a"}, strings.Repeat("x", 10<<20)}, entry{tar.Header{Name: "b"}, strings.Repeat("x", 10<<20)}), "too large: the files of a bundle have at most 16777216 bytes"},
		"a time":                       {pack(t, entry{tar.Header{Name: "a", Mode: 0o644, ModTime: time.Unix(1_700_000_000, 0)}, "x"}), "its entries have times, owners, modes or attributes"},
		"an owner":                     {pack(t, entry{tar.Header{Name: "a", Mode: 0o644, Uid: 1000, Uname: "me"}, "x"}), "its entries have times"},
		"a mode":                       {pack(t, entry{tar.Header{Name: "a", Mode: 0o4755}, "x"}), "its entries have times"},
		"an attribute":                 {pack(t, entry{tar.Header{Name: "a", Mode: 0o644, PAXRecords: map[string]string{"SCHILY.xattr.user.x": "y"}}, "x"}), "it has attributes, which dragoman build does not write"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := archive.Read("a.tar.gz", c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a.tar.gz: ") {
				t.Errorf("got %v, error %v; want one with %q", a != nil, err, c.want)
			}
		})
	}
}

// Whatever is read has paths that stay within a folder, and is what Build makes of its files.
func FuzzRead(f *testing.F) {
	f.Add(build(f, folder(small), "web").Bytes)
	f.Add(pack(f, file("../x")))
	f.Add(pack(f, file("a"), file("a/b")))
	f.Add(pack(f, entry{tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, ""}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, bytes := range [][]byte{data, squeeze(t, data, gzip.Header{})} {
			a, err := archive.Read("a", bytes)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "a: ") || len(err.Error()) > 2000 {
					t.Errorf("got an error of %d bytes: %v", len(err.Error()), err)
				}
				continue
			}
			for _, file := range a.Files {
				if !filepath.IsLocal(filepath.FromSlash(file.Path)) {
					t.Errorf("read the path %q", file.Path)
				}
			}
			again, err := archive.Build(a.FS("x"), "x")
			if err != nil || !slices.EqualFunc(again.Files, a.Files, func(x, y archive.File) bool { return x.Path == y.Path && string(x.Data) == string(y.Data) }) {
				t.Errorf("the files of an archive that was read cannot be built: %v", err)
			}
		}
	})
}
