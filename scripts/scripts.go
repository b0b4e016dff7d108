// SPDX-License-Identifier: Apache-2.0

// Package scripts holds the knowledge: a folder for each bundle, with the scripts
// and their cases. It is data; this file embeds it.
package scripts

import "embed"

// FS holds one folder for each bundle.
//
//go:embed */*
var FS embed.FS
