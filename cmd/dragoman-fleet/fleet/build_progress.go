// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress tells whoever waits for a build how far it is: on a terminal in one line that
// it rewrites each second, elsewhere in a new line every 15 seconds. Its methods may be
// called from many goroutines.
type progress struct {
	out        io.Writer
	isTerminal bool
	began      time.Time
	done       chan struct{}
	writer     sync.WaitGroup

	mu       sync.Mutex
	modules  int             // downloaded so far
	left     map[string]bool // packages that are still to be compiled; nil before that is known
	packages int             // to be compiled in all
}

// newProgress starts to write to out, until end.
func newProgress(out io.Writer) *progress {
	p := &progress{out: out, began: time.Now(), done: make(chan struct{})}
	every := 15 * time.Second
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.isTerminal, every = true, time.Second
	}
	p.writer.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.write()
			case <-p.done:
				return
			}
		}
	})
	return p
}

// end stops the writing and clears the line on a terminal.
func (p *progress) end() {
	close(p.done)
	p.writer.Wait()
	if p.isTerminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func (p *progress) write() {
	if p.isTerminal {
		fmt.Fprintf(p.out, "\r%s\x1b[K", p) // the escape sequence clears the rest of the line
		return
	}
	fmt.Fprintln(p.out, p)
}

func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	elapsed := time.Since(p.began).Round(time.Second)
	switch {
	case p.left == nil && p.modules == 0:
		return fmt.Sprintf("  %v: reading the packages", elapsed)
	case p.left == nil:
		return fmt.Sprintf("  %v: downloaded modules: %d", elapsed, p.modules)
	case len(p.left) == 0:
		return fmt.Sprintf("  %v: compiled %d packages, linking", elapsed, p.packages)
	default:
		return fmt.Sprintf("  %v: compiled %d of %d packages", elapsed, p.packages-len(p.left), p.packages)
	}
}

// downloads reports whether a line of go list is about a download, and counts it.
func (p *progress) downloads(line string) bool {
	if !strings.HasPrefix(line, "go: downloading ") {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modules++
	return true
}

// compile says that these packages are compiled from now on.
func (p *progress) compile(packages []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packages = len(packages)
	p.left = make(map[string]bool, len(packages))
	for _, name := range packages {
		p.left[name] = true
	}
}

// compiles reports whether a line of go build -v is the name of a package that it begins
// to compile, and counts it.
func (p *progress) compiles(line string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.left[line]
	delete(p.left, line)
	return known
}
