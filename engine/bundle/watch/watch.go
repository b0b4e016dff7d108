// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"k8s.io/utils/clock"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Options configure a Directory. Path and Apply are required; a zero duration takes the
// default.
type Options struct {
	// Path is the folder that holds a folder for each bundle.
	Path string
	// Apply takes what changed: bundles as they are now, and the folders of those that
	// are gone; see bundle.Store.
	Apply func(fetched []bundle.Content, gone []string)
	// Resume continues what Apply left, and reports whether there is more; see
	// bundle.Store.Begin. Run calls it after Apply until it returns false, between changes. A
	// nil Resume is not called.
	Resume func() (more bool)
	// OnError is called when the folder cannot be read or watched. The bundles stay as
	// they are, and the folder is tried again. A nil OnError is not called.
	OnError func(error)
	// Clock is the real clock by default.
	Clock clock.WithTicker
	// Debounce is how long nothing must change before changes are applied, 100 ms by
	// default; MaxDelay is how long they wait at most while more arrive, 1 s by default.
	Debounce, MaxDelay time.Duration
	// Poll is the time between two scans of the whole folder, 10 s by default.
	Poll time.Duration
	// PollOnly disables events of the operating system.
	PollOnly bool
}

// Directory is a folder of bundles. Its methods are for one goroutine at a time.
type Directory struct {
	options Options
	known   map[string]state
	// total is the size of all bundles, in bytes.
	total int64
	// unfinished is closed if there is something to resume, and nil otherwise.
	unfinished chan struct{}
	watcher    *fsnotify.Watcher

	// onEvent and onScan are called for each event and each scan, for tests.
	onEvent func(path string)
	onScan  func()
}

// New returns a Directory that has not been scanned yet.
func New(o Options) *Directory {
	o.Path = filepath.Clean(o.Path)
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	for d, otherwise := range map[*time.Duration]time.Duration{&o.Debounce: 100 * time.Millisecond, &o.MaxDelay: time.Second, &o.Poll: 10 * time.Second} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	return &Directory{options: o, known: map[string]state{}, onEvent: func(string) {}, onScan: func() {}}
}

// Run calls Apply for changes until ctx ends, and leaves no goroutine behind. It begins
// with a scan, which finds what changed since the last one.
func (d *Directory) Run(ctx context.Context) error {
	events, failures, stop := d.open()
	defer stop()
	poll := d.options.Clock.NewTicker(d.options.Poll)
	defer poll.Stop()
	d.scanDirty(nil)
	b := &debouncer{clock: d.options.Clock, quiet: d.options.Debounce, maxDelay: d.options.MaxDelay}
	defer b.reset()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-events:
			b.add(d.dirOf(e.Name))
			d.onEvent(e.Name)
		case err := <-failures:
			d.options.OnError(fmt.Errorf("watch the folder of bundles: %w", err))
			b.add("")
		case <-b.C():
			d.scanDirty(b)
			b.reset()
		case <-poll.C():
			d.scanDirty(nil)
		case <-d.unfinished:
			more, err := d.resume()
			if err != nil {
				d.options.OnError(err)
			}
			if !more {
				d.unfinished = nil
			}
		}
	}
}

// open starts watching, if that is wanted and possible.
func (d *Directory) open() (<-chan fsnotify.Event, <-chan error, func()) {
	if d.options.PollOnly {
		return nil, nil, func() {}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		d.options.OnError(fmt.Errorf("watch the folder of bundles: %w", err))
		return nil, nil, func() {}
	}
	d.watcher = w
	return w.Events, w.Errors, func() {
		d.watcher = nil
		_ = w.Close()
		for range w.Events { // until the goroutine of w has ended
		}
	}
}

// scanDirty scans the folders that changed, or all for nil.
func (d *Directory) scanDirty(b *debouncer) {
	if b == nil || b.all {
		if err := d.Scan(); err != nil {
			d.options.OnError(err)
		}
		return
	}
	defer d.onScan()
	if _, err := os.Stat(d.options.Path); err != nil {
		d.options.OnError(fmt.Errorf("read the folder of bundles: %w", err))
		return
	}
	var c changes
	for dir := range b.dirs {
		d.compare(&c, dir, true)
	}
	d.apply(c)
}

// dirOf returns the bundle's folder that a path lies in; "" for the folder of all.
func (d *Directory) dirOf(path string) string {
	rest, err := filepath.Rel(d.options.Path, path)
	if err != nil || rest == "." {
		return ""
	}
	dir, _, _ := strings.Cut(rest, string(filepath.Separator))
	return dir
}
