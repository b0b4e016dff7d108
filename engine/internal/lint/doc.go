// SPDX-License-Identifier: Apache-2.0

// Package lint names what the checks of scripts report: the rules by their ids, a Finding of
// one at its place, and the comments that switch a rule off. It knows neither a language nor
// the rules' own code, which is in engine/internal/lua/inspect, engine/internal/cel and
// engine/author.
package lint
