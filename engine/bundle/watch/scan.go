// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// maxBundles bounds the entries of the folder of bundles.
	maxBundles = 1000
	// maxTotal bounds the files of all bundles together, in bytes.
	maxTotal = 128 << 20
)

// state is what a scan found of a bundle.
type state struct {
	// sum is that of its listing; zero where there is none.
	sum [sha256.Size]byte
	// stable reports whether every later change will change sum. A file that was just
	// written can change once more with the same size and time.
	stable  bool
	watched bool
	// size is how many bytes of maxTotal it takes.
	size int64
	// revision and failure are what Apply was called with.
	revision string
	failure  string
}

// timestampGranularity is longer than the resolution of timestamps in any file system.
const timestampGranularity = 2 * time.Second

// Scan compares everything with the scan before, and calls Apply with what changed. It
// returns after Apply. It returns an error, and changes nothing, if the folder cannot be
// read or is itself a bundle.
func (d *Directory) Scan() error {
	defer d.onScan()
	entries, err := readDir(d.options.Path, maxBundles)
	if errors.Is(err, errTooMany) {
		return fmt.Errorf("read the folder of bundles: %s: %w: at most %d bundles are read", d.options.Path, err, maxBundles)
	}
	if err != nil {
		return fmt.Errorf("read the folder of bundles: %w", err)
	}
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == bundle.ManifestFile }) {
		return fmt.Errorf("%s holds %s: want a folder that holds a folder for each bundle", d.options.Path, bundle.ManifestFile)
	}
	d.watch(d.options.Path)
	var c changes
	present := map[string]bool{}
	for _, e := range entries {
		present[e.Name()] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(d.known)) {
		if !present[dir] {
			d.compare(&c, dir, true)
		}
	}
	for _, e := range entries {
		if !bundle.Hidden(e.Name()) {
			d.compare(&c, e.Name(), false)
		}
	}
	d.apply(c)
	return nil
}

// changes are what Apply is called with.
type changes struct {
	fetched []bundle.Content
	gone    []string
}

func (d *Directory) apply(c changes) {
	if len(c.fetched)+len(c.gone) == 0 {
		return
	}
	slices.SortFunc(c.fetched, func(a, b bundle.Content) int { return strings.Compare(a.Dir, b.Dir) })
	slices.Sort(c.gone)
	if err := d.hand(c); err != nil {
		d.options.OnError(err)
	}
	if d.options.Resume != nil {
		d.unfinished = make(chan struct{})
		close(d.unfinished)
	}
}

// hand calls Apply. The error is that of a panic in it: nobody else recovers it on this goroutine.
func (d *Directory) hand(c changes) (err error) {
	defer script.Recover(&err, script.Position{File: d.options.Path}, "applying the bundles")
	d.options.Apply(c.fetched, c.gone)
	return nil
}

// resume calls Resume, as hand calls Apply.
func (d *Directory) resume() (more bool, err error) {
	defer script.Recover(&err, script.Position{File: d.options.Path}, "applying the bundles")
	return d.options.Resume(), nil
}

// compare adds what changed in one folder. It is read where its listing differs from
// the one before, or where touched reports an event in it.
func (d *Directory) compare(c *changes, dir string, touched bool) {
	root := filepath.Join(d.options.Path, dir)
	was, known := d.known[dir]
	info, err := os.Stat(root)
	if errors.Is(err, os.ErrNotExist) || err == nil && !info.IsDir() || bundle.Hidden(dir) {
		if known {
			d.total -= was.size
			delete(d.known, dir)
			c.gone = append(c.gone, dir)
		}
		return
	}
	now, err := list(root)
	if err == nil {
		if d.watcher != nil && (!was.watched || touched || now.sum != was.sum) {
			was.watched = d.watch(append(now.dirs, root)...)
		}
		if !touched && was.stable && now.sum == was.sum {
			d.known[dir] = was
			return
		}
	}
	content := d.fetch(dir, now, &was, err)
	d.known[dir] = was
	if content != nil {
		c.fetched = append(c.fetched, *content)
	}
}

// fetch reads the folder that now lists; err is set where it could not be listed. It
// returns nil where Apply has had the outcome already.
func (d *Directory) fetch(dir string, now *listing, was *state, err error) *bundle.Content {
	c := &bundle.Content{Dir: dir, Origin: filepath.Join(d.options.Path, dir)}
	looked := d.options.Clock.Now()
	if err == nil {
		err = d.reserve(now, was)
	}
	if err == nil {
		c.Files, now, err = read(c.Origin, dir, now)
	}
	if err == nil {
		c.Revision, err = bundle.Revision(c.Files, dir)
	}
	was.sum, was.stable = [sha256.Size]byte{}, false
	if err == nil {
		was.sum, was.stable = now.sum, looked.Sub(now.newest) > timestampGranularity
	}
	if errors.Is(err, errChanging) {
		return nil
	}
	failure := ""
	if err != nil {
		*c = bundle.Content{Dir: dir, Origin: c.Origin, Err: fmt.Errorf("read the bundle: %w", err)}
		failure = err.Error()
	}
	if c.Revision == was.revision && failure == was.failure {
		return nil
	}
	was.revision, was.failure = c.Revision, failure
	return c
}

// reserve takes the size of a listing from maxTotal, in place of what the bundle had taken.
// If it does not fit, the bundle keeps what it has: its last good revision stays active.
func (d *Directory) reserve(l *listing, was *state) error {
	if left := maxTotal - d.total + was.size; l.size > left {
		return fmt.Errorf("%d bytes do not fit: the files of all bundles may have %d together, and %d are left", l.size, maxTotal, left)
	}
	d.total += l.size - was.size
	was.size = l.size
	return nil
}

// watch asks the operating system for events of folders, and reports whether it will send
// them.
func (d *Directory) watch(dirs ...string) bool {
	if d.watcher == nil {
		return false
	}
	for _, dir := range dirs {
		if err := d.watcher.Add(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			d.options.OnError(fmt.Errorf("watch %s: %w", dir, err))
			return false
		}
	}
	return true
}
