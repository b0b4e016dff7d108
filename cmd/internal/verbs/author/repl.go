// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/repl"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// replOptions are the flags of repl.
type replOptions struct {
	streams    verb.Streams
	bundle     string
	object     string
	parameters map[string]string
	session    *repl.Session
	// failed means that an entry was not well.
	failed bool
}

// replHelp is what :help prints.
const replHelp = `Lua is evaluated, and a value printed as YAML. An entry goes on in the next line until it is complete.
obj is the object, params the parameters of the bundle, and its modules can be required.
  :ask OPERATION  ask what the scripts of the bundle, or of this program, answer about the object
  :list           print the statements so far
  :undo           take back the last one
  :reload         read the object and the bundle again
  :quit           end, as Ctrl-D does
`

func newReplCommand(streams verb.Streams) *cobra.Command {
	o := &replOptions{streams: streams}
	c := &cobra.Command{
		Use:   "repl [BUNDLE]",
		Short: "Evaluate Lua line by line",
		Long: `repl evaluates Lua line by line, with the sandbox, the functions and the limits that scripts have
in a control plane. A value is printed as YAML, and what print writes goes to stdout too. A line that
fails, or that runs out of gas, leaves the session as it was. All statements so far run again with each
line, as one script: what it may take holds for the session.

` + replHelp + `
On a terminal lines are edited and kept as a history. Where stdin is something else, lines are
read from it, and the exit code is 1 if one of them failed; else it is 0, and 2 where the bundle or the
object cannot be read.`,
		Example: `  dragoman repl ./flink -f sample.yaml
  echo 'kube.getResourceQuantity("1500m")' | dragoman repl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.bundle = filepath.ToSlash(filepath.Clean(args[0]))
			}
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVarP(&o.object, "filename", "f", "", "file or URL with the object that obj is, a folder with such a file")
	f.StringToStringVar(&o.parameters, "parameter", nil, "value of a parameter of the bundle, as name=value; can be repeated")
	return c
}

func (o *replOptions) run() error {
	if o.object == "-" {
		return errors.New("stdin has the lines; name a file with the object by -f")
	}
	if o.bundle == "" && len(o.parameters) > 0 {
		return errors.New("--parameter is about a bundle; name its folder")
	}
	compiler, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	o.session = repl.New(compiler, time.Now())
	if err := o.reload(); err != nil {
		return err
	}
	if in, ok := o.streams.In.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		return o.onTerminal(in)
	}
	o.session.Print = func(line string) { fmt.Fprintln(o.streams.Out, line) }
	lines := bufio.NewReader(io.LimitReader(o.streams.In, verb.MaxInput))
	err = o.readLoop(func(bool) (string, error) {
		line, err := lines.ReadString('\n')
		if line != "" && errors.Is(err, io.EOF) {
			err = nil
		}
		return strings.TrimSuffix(line, "\n"), err
	})
	if err == nil && o.failed {
		return verb.Exit(verb.ExitFound, "")
	}
	return err
}

// onTerminal reads lines from a terminal, which edits them.
func (o *replOptions) onTerminal(in *os.File) error {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("use the terminal: %w", err)
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, o.streams.Raw}, "")
	if width, height, err := term.GetSize(int(in.Fd())); err == nil {
		_ = t.SetSize(width, height)
	}
	shown := printable.NewWriter(t)
	o.streams.Out, o.streams.Err = shown, shown
	o.session.Print = func(line string) { fmt.Fprintln(shown, line) }
	fmt.Fprintln(shown, "Lua 5.1 with the engine of the control plane; :help says what else there is")
	return o.readLoop(func(more bool) (string, error) {
		t.SetPrompt("> ")
		if more {
			t.SetPrompt(">> ")
		}
		return t.ReadLine()
	})
}

// readLoop evaluates lines until there are no more. next is told whether a line goes on with an entry.
func (o *replOptions) readLoop(next func(more bool) (string, error)) error {
	entry := ""
	for {
		line, err := next(entry != "")
		switch {
		case errors.Is(err, io.EOF):
			if entry != "" {
				o.report(errors.New("the input ended within an entry"))
			}
			return nil
		case err != nil:
			return fmt.Errorf("read the lines: %w", err)
		}
		command, isCommand := strings.CutPrefix(strings.TrimSpace(line), ":")
		if isCommand && entry == "" {
			if command == "quit" || command == "q" {
				return nil
			}
			o.report(o.command(command))
			continue
		}
		entry += line
		value, err := o.session.Enter(entry)
		if errors.Is(err, repl.ErrIncomplete) {
			entry += "\n"
			continue
		}
		entry = ""
		if err == nil {
			err = o.print(value)
		}
		o.report(err)
	}
}

// report prints an error; the session goes on.
func (o *replOptions) report(err error) {
	if err != nil {
		o.failed = true
		author.Printer{Out: o.streams.Err}.Errors(err)
	}
}

// print prints the values of an entry.
func (o *replOptions) print(v repl.Value) error {
	for _, plain := range v.Plain {
		text, err := printable.MarshalYAML(plain)
		if err != nil {
			return err
		}
		if _, err := o.streams.Out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// command does what a line with a colon asks for.
func (o *replOptions) command(text string) error {
	name, argument, _ := strings.Cut(text, " ")
	argument = strings.TrimSpace(argument)
	switch name {
	case "help":
		fmt.Fprint(o.streams.Out, replHelp)
	case "list":
		for _, e := range o.session.Entries() {
			fmt.Fprintln(o.streams.Out, e)
		}
	case "undo":
		if o.session.Undo() == "" {
			return errors.New(":undo: there is no statement")
		}
	case "reload":
		return o.reload()
	case "ask":
		return o.ask(argument)
	default:
		return fmt.Errorf("there is no command :%s; :help lists all", name)
	}
	return nil
}

// ask asks the scripts one question about the object, as eval does.
func (o *replOptions) ask(operation string) error {
	if o.object == "" || operation == "" {
		return errors.New(":ask wants the name of an operation, and an object that was given by -f")
	}
	args := []string{"-f", o.object, "--operation", operation}
	if o.bundle != "" {
		args = append(args, "--bundle", o.bundle)
	}
	for name, value := range o.parameters {
		args = append(args, "--parameter", name+"="+value)
	}
	c := newEvalCommand(o.streams)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	return c.Execute()
}

// reload reads the object and the bundle.
func (o *replOptions) reload() error {
	if o.object != "" {
		d, err := o.streams.Document(o.object)
		if err != nil {
			return err
		}
		o.session.Object = d.Object.Object
	}
	if o.bundle == "" {
		return nil
	}
	modules, params, err := bundle.Library(verb.HostFS{}, o.bundle, o.parameters)
	if err != nil {
		return err
	}
	o.session.Modules, o.session.Params = modules, params
	return nil
}
