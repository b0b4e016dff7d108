// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/go-logr/logr"
)

// logging is the form of the log: one line an entry, on standard error.
type logging struct {
	format    string
	verbosity int
}

// String returns the form; with Set and Type, logging is a flag.
func (l *logging) String() string {
	if l.format == "" {
		return "text"
	}
	return l.format
}

// Set takes text or json.
func (l *logging) Set(format string) error {
	if format != "text" && format != "json" {
		return fmt.Errorf("%q is neither text nor json", format)
	}
	l.format = format
	return nil
}

// Type names the kind of value in help.
func (l *logging) Type() string { return "format" }

// logger returns a logger to w whose entries have ts, level, logger, msg and the details
// as further keys.
func (l *logging) logger(w io.Writer) logr.Logger {
	options := &slog.HandlerOptions{Level: slog.Level(-l.verbosity), ReplaceAttr: formatAttr}
	var handler slog.Handler = slog.NewTextHandler(w, options)
	if l.String() == "json" {
		handler = slog.NewJSONHandler(w, options)
	}
	return logr.FromSlogHandler(named{handler})
}

// formatAttr returns the key and the value of an attribute as the log has them.
func formatAttr(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 {
		switch a.Key {
		case slog.TimeKey:
			a.Key = "ts"
			return a
		case slog.LevelKey:
			return slog.String("level", levelName(a))
		}
	}
	switch v := a.Value.Any().(type) {
	case logr.Marshaler:
		a.Value = slog.AnyValue(v.MarshalLog())
	case error:
	case fmt.Stringer:
		a.Value = slog.StringValue(v.String())
	}
	return a
}

// levelName returns error, info or debug; logr has no others.
func levelName(a slog.Attr) string {
	level, _ := a.Value.Any().(slog.Level)
	switch {
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}

// named writes the name of the logger with dots between its parts, and the name of the
// program in entries without one, so that every entry has one.
type named struct{ slog.Handler }

// WithAttrs keeps the wrapping.
func (n named) WithAttrs(attrs []slog.Attr) slog.Handler { return named{n.Handler.WithAttrs(attrs)} }

// WithGroup keeps the wrapping.
func (n named) WithGroup(name string) slog.Handler { return named{n.Handler.WithGroup(name)} }

// Handle writes an entry of logr, which has the keys logger and err before the details.
func (n named) Handle(ctx context.Context, from slog.Record) error {
	to := slog.NewRecord(from.Time, from.Level, from.Message, from.PC)
	name := "manager"
	var details []slog.Attr
	from.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "logger":
			name = strings.ReplaceAll(a.Value.String(), "/", ".")
		case "err":
			details = append(details, slog.Attr{Key: "error", Value: a.Value})
		default:
			details = append(details, a)
		}
		return true
	})
	to.AddAttrs(slog.String("logger", name))
	to.AddAttrs(details...)
	return n.Handler.Handle(ctx, to)
}
