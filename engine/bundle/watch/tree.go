// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"k8s.io/utils/clock"
)

// Tree is some files and folders, with all below them but hidden folders. A link counts as the file that it
// leads to, so that a new version of a ConfigMap is a change of each of its files.
type Tree struct {
	// Paths are the files and folders.
	Paths []string
	// OnError is called where changes cannot be watched, which are found by polling then; nil is not called.
	OnError func(error)
	// Clock is the real clock by default.
	Clock clock.WithTicker
	// Debounce, MaxDelay and Poll are as in Options, but that Poll is 2 s by default.
	Debounce, MaxDelay, Poll time.Duration

	known map[string]string
}

// Run sends the files that changed since the last time, appeared or are gone, sorted and never none, until
// ctx ends; then it closes changes. It begins with what is there when it is called; ready, if it is not nil,
// is called once that is known.
func (t *Tree) Run(ctx context.Context, changes chan<- []string, ready func()) {
	defer close(changes)
	t.defaults()
	watcher, events := t.open()
	if watcher != nil {
		defer func() { _ = watcher.Close() }()
	}
	t.known = t.scan(watcher)
	if ready != nil {
		ready()
	}
	poll := t.Clock.NewTicker(t.Poll)
	defer poll.Stop()
	b := &debouncer{clock: t.Clock, quiet: t.Debounce, maxDelay: t.MaxDelay}
	defer b.reset()
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			b.add("")
			continue
		case <-b.C():
			b.reset()
		case <-poll.C():
		}
		now := t.scan(watcher)
		changed := differing(t.known, now)
		t.known = now
		if len(changed) == 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case changes <- changed:
		}
	}
}

func (t *Tree) defaults() {
	if t.Clock == nil {
		t.Clock = clock.RealClock{}
	}
	for d, otherwise := range map[*time.Duration]time.Duration{&t.Debounce: 100 * time.Millisecond, &t.MaxDelay: time.Second, &t.Poll: 2 * time.Second} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if t.OnError == nil {
		t.OnError = func(error) {}
	}
}

// open returns what watches folders, and its events; nil where the system does not.
func (t *Tree) open() (*fsnotify.Watcher, <-chan fsnotify.Event) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.OnError(fmt.Errorf("watch files: %w", err))
		return nil, nil
	}
	return w, w.Events
}

// scan returns what identifies each file as it is now, by its path, and watches all folders. What cannot be
// read is absent.
func (t *Tree) scan(watcher *fsnotify.Watcher) map[string]string {
	found := map[string]string{}
	for _, root := range t.Paths {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			root += string(filepath.Separator) // a link to a folder is followed here
		}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read is passed over
			switch {
			case err != nil:
				return nil //nolint:nilerr // it is absent
			case d.IsDir() && path != root && d.Name()[0] == '.':
				return fs.SkipDir
			case d.IsDir():
				t.watch(watcher, path)
				return nil
			case path == root:
				t.watch(watcher, filepath.Dir(path))
			}
			info, err := os.Stat(path)
			if err != nil || info.IsDir() || len(found) == maxWatched {
				return nil //nolint:nilerr // it is absent
			}
			found[filepath.Clean(path)] = fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode(), identity(info))
			return nil
		})
	}
	return found
}

// maxWatched is how many files are looked at.
const maxWatched = 100_000

// watch asks the system for the events of a folder. Where it cannot, the folder is polled.
func (t *Tree) watch(watcher *fsnotify.Watcher, dir string) {
	if watcher == nil || slices.Contains(watcher.WatchList(), dir) {
		return
	}
	if err := watcher.Add(dir); err != nil {
		t.OnError(fmt.Errorf("watch %s: %w", dir, err))
	}
}

// differing returns the keys whose values are not the same in both maps, sorted.
func differing(before, after map[string]string) []string {
	var keys []string
	for key, value := range after {
		if was, known := before[key]; !known || was != value {
			keys = append(keys, key)
		}
	}
	for key := range maps.Keys(before) {
		if _, still := after[key]; !still {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
