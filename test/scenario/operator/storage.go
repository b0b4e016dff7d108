// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"strings"
	"sync"
)

// Storage stands for the storage that the jobs of all members write snapshots to, such as a
// bucket. It is safe for many goroutines; the zero value is empty.
type Storage struct {
	mu sync.Mutex
	// snapshots are the directories that hold a file _metadata, in the order in which they
	// were written.
	snapshots []string
}

// Write writes a snapshot, with its file _metadata.
func (s *Storage) Write(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots = append(s.snapshots, path)
}

// holds reports whether there is a file _metadata in a directory.
func (s *Storage) holds(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, snapshot := range s.snapshots {
		if strings.TrimSuffix(path, "/") == snapshot {
			return true
		}
	}
	return false
}

// Newest returns the newest snapshot of a job, by its id; "" is none.
func (s *Storage) Newest(job string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.snapshots) - 1; i >= 0; i-- {
		if strings.Contains(s.snapshots[i], "/savepoint-"+job[:6]+"-") {
			return s.snapshots[i]
		}
	}
	return ""
}
