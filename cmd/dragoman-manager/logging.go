// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// logging is the form of the log: one line an entry, on standard error.
type logging struct {
	format    string
	verbosity int
}

// String, Set and Type make it a flag.
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

// logger returns a logger to w whose JSON entries have ts, level, logger, msg and the
// details as further keys.
func (l *logging) logger(w io.Writer) logr.Logger {
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	config.TimeKey, config.LevelKey, config.NameKey, config.MessageKey = "ts", "level", "logger", "msg"
	encoder := zapcore.NewJSONEncoder(config)
	if l.String() == "text" {
		encoder = zapcore.NewConsoleEncoder(config)
	}
	core := zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), zap.NewAtomicLevelAt(zapcore.Level(-l.verbosity)))
	return zapr.NewLogger(zap.New(named{core}))
}

// named names the logger of entries that have none after the program.
type named struct{ zapcore.Core }

// With keeps the wrapping.
func (n named) With(fields []zapcore.Field) zapcore.Core { return named{n.Core.With(fields)} }

// Check adds this core to an entry that is logged.
func (n named) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if n.Enabled(e.Level) {
		return checked.AddCore(e, n)
	}
	return checked
}

// Write writes the entry with its name.
func (n named) Write(e zapcore.Entry, fields []zapcore.Field) error {
	if e.LoggerName == "" {
		e.LoggerName = "manager"
	}
	return n.Core.Write(e, fields)
}
