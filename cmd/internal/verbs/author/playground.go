// SPDX-License-Identifier: Apache-2.0

package author

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/cmd/internal/web"
	"github.com/dragoman-io/dragoman/engine/author/playground"
	"github.com/dragoman-io/dragoman/scripts"
)

const (
	// playgroundPort is the port of the page, so that share links go on working.
	playgroundPort = 8390
	// playgroundDeadline bounds each run of a script by the clock, as that of the manager does.
	playgroundDeadline = 2 * time.Second
)

// playgroundOptions are the flags of playground.
type playgroundOptions struct {
	streams verb.Streams
	port    int
	export  string
	wasm    string
}

func newPlaygroundCommand(streams verb.Streams) *cobra.Command {
	o := &playgroundOptions{streams: streams}
	c := &cobra.Command{
		Use:   "playground",
		Short: "Serve a page that evaluates a script while one types it",
		Long: `playground serves a page on 127.0.0.1, prints its address, and ends at an interrupt. On the page
stand an object and a script in Lua or CEL; each change asks the script all operations that it
answers. The page shows the answers, their gas, the lines that ran, what was printed, and errors
at their place. The cases of the bundles of this program are its samples. Its link holds object
and script, and is sent to no server.

The page works without a network: all of it is in this program. Scripts have the limits that they
have in the control plane.

With --export it is written as static files in place of that, for any web server: there the engine
runs in the browser. make playground-wasm builds the engine for it, which is not in this program.`,
		Example: `  dragoman playground
  dragoman playground --port 0
  dragoman playground --export ./site --wasm bin/wasm`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	f := c.Flags()
	f.IntVar(&o.port, "port", playgroundPort, "port on 127.0.0.1; 0 takes a free one")
	f.StringVar(&o.export, "export", "", "folder to write the page into as static files; empty, or not there")
	f.StringVar(&o.wasm, "wasm", "", "folder with the engine for the browser, which --export needs")
	c.MarkFlagsMutuallyExclusive("port", "export")
	return c
}

func (o *playgroundOptions) run(c *cobra.Command) error {
	switch {
	case c.Flags().Changed("export"):
		return o.write()
	case c.Flags().Changed("wasm"):
		return errors.New("--wasm is for --export")
	case o.port < 0 || o.port > 65535:
		return fmt.Errorf("port %d: want a number from 0 to 65535", o.port)
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return o.serve(ctx)
}

// serve serves the page until the context ends.
func (o *playgroundOptions) serve(ctx context.Context) error {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is in use: choose another one with --port, or a free one with --port 0", o.port)
	}
	if err != nil {
		return err
	}
	p, err := playground.New(scripts.FS)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	p.Deadline = playgroundDeadline
	if _, err := fmt.Fprintf(o.streams.Out, "http://%s/\n", listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintln(o.streams.Err, "the playground runs; Ctrl-C ends it")
	return web.Serve(ctx, listener, p)
}

// write writes the page as static files.
func (o *playgroundOptions) write() error {
	switch {
	case o.export == "":
		return errors.New("--export: name a folder")
	case o.wasm == "":
		return errors.New("--export needs --wasm, the folder with the engine for the browser: make playground-wasm builds it in bin/wasm")
	}
	names, err := web.Export(o.export, o.wasm)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := fmt.Fprintln(o.streams.Out, filepath.ToSlash(filepath.Join(o.export, name))); err != nil {
			return err
		}
	}
	return nil
}
