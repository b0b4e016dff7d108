// SPDX-License-Identifier: Apache-2.0

// Package wire translates between the messages of an estimator and what both of its sides
// know: the requirements of bindings become messages, and messages become questions to an
// inventory. It opens no connection.
package wire
