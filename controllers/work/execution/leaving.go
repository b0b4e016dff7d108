// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// leaving are the objects that are deleted with their Work. The watch may show one that is
// gone, or its end, when the next Work of the same name is there already. It is safe for many
// goroutines; the zero value is ready.
type leaving struct {
	mu      sync.Mutex
	objects map[types.UID]departure
	// swept is when those were forgotten last whose end the watch never showed.
	swept time.Time
}

// departure is when the deletion of an object began, and when its member had it no more.
type departure struct{ began, gone time.Time }

// longestEnd is how long an object is remembered whose end the watch does not show.
const longestEnd = time.Hour

// begin records that an object is deleted with its Work.
func (l *leaving) begin(uid types.UID, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.objects[uid]; known {
		return
	}
	l.set(uid, departure{began: now}, now)
}

// since returns for how long an object has been leaving.
func (l *leaving) since(uid types.UID, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, known := l.objects[uid]
	if !known {
		return 0
	}
	return now.Sub(d.began)
}

// end records that the member does not have an object any more, and returns for how long that
// is known.
func (l *leaving) end(uid types.UID, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, known := l.objects[uid]
	if !known {
		d.began = now
	}
	if d.gone.IsZero() {
		d.gone = now
		l.set(uid, d, now)
	}
	return now.Sub(d.gone)
}

// ended reports whether the member does not have an object any more.
func (l *leaving) ended(uid types.UID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, known := l.objects[uid]
	return known && !d.gone.IsZero()
}

// shows reports whether what a watch shows is about an object that leaves, which is forgotten
// once its end was shown.
func (l *leaving) shows(uid types.UID, end bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.objects[uid]
	if known && end {
		delete(l.objects, uid)
	}
	return known
}

// set writes one; the lock is held.
func (l *leaving) set(uid types.UID, d departure, now time.Time) {
	if l.objects == nil {
		l.objects = map[types.UID]departure{}
	}
	if now.Sub(l.swept) > longestEnd {
		maps.DeleteFunc(l.objects, func(_ types.UID, d departure) bool { return now.Sub(d.began) > longestEnd })
		l.swept = now
	}
	l.objects[uid] = d
}
