// SPDX-License-Identifier: Apache-2.0

// Package autoscaler holds the controllers about templates whose replicas an autoscaler of the members
// decides: marker has members keep them, and replicas has the template follow them.
package autoscaler
