// SPDX-License-Identifier: Apache-2.0

package customization

// ContentHash is contentHash, for the suite.
var ContentHash = contentHash
