// SPDX-License-Identifier: Apache-2.0

package partition

import (
	"container/heap"
	"container/list"
	"slices"
	"time"
)

// agingEvery is how often those of the lowest priority go first, so that a backlog ends
// under a steady load of others.
const agingEvery = 8

// item is an object that waits or is in progress.
type item[R comparable] struct {
	object   R
	priority int
	// in is the partition that it is ready or in progress in.
	in string
	// element is its place among those that are ready, place that among those that wait
	// for their time, which is due; nil and -1 are none.
	element *list.Element
	place   int
	due     time.Time
	// since is when it became ready, began when it was handed out.
	since, began time.Time
	// again makes it ready once it is not in progress any more.
	inProgress, again bool
}

func (i *item[R]) waiting() bool { return i.element != nil || i.place >= 0 || i.again }

// level holds the objects of one priority that are ready, in the order of their arrival.
type level struct {
	priority int
	items    list.List
}

// partition holds the objects of one partition that are ready.
type partition[R comparable] struct {
	// levels are in the order of their priorities, the highest first; none is empty.
	levels             []*level
	length, inProgress int
	// taken counts the objects that were handed out, turn is when the last one was.
	taken, turn int
}

func (p *partition[R]) push(i *item[R]) {
	at, found := slices.BinarySearchFunc(p.levels, i.priority, func(l *level, priority int) int { return priority - l.priority })
	if !found {
		p.levels = slices.Insert(p.levels, at, &level{priority: i.priority})
	}
	i.element = p.levels[at].items.PushBack(i)
	p.length++
}

// take hands out the next object.
func (p *partition[R]) take() *item[R] {
	p.taken++
	l := p.levels[0]
	if p.taken%agingEvery == 0 {
		l = p.levels[len(p.levels)-1]
	}
	i := l.items.Front().Value.(*item[R])
	p.remove(i)
	p.inProgress++
	return i
}

// remove removes an object that is ready.
func (p *partition[R]) remove(i *item[R]) {
	for at, l := range p.levels {
		before := l.items.Len()
		l.items.Remove(i.element) // does nothing in the list of another level
		if l.items.Len() == before {
			continue
		}
		if l.items.Len() == 0 {
			p.levels = slices.Delete(p.levels, at, at+1)
		}
		break
	}
	i.element = nil
	p.length--
}

// delays is a heap of the objects that wait for their time.
type delays[R comparable] []*item[R]

func (d delays[R]) Len() int           { return len(d) }
func (d delays[R]) Less(a, b int) bool { return d[a].due.Before(d[b].due) }
func (d delays[R]) Swap(a, b int) {
	d[a], d[b] = d[b], d[a]
	d[a].place, d[b].place = a, b
}

// Push is of heap.Interface; push adds.
func (d *delays[R]) Push(x any) {
	i := x.(*item[R])
	i.place = len(*d)
	*d = append(*d, i)
}

// Pop is of heap.Interface; remove removes.
func (d *delays[R]) Pop() any {
	last := len(*d) - 1
	i := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	i.place = -1
	return i
}

func (d *delays[R]) push(i *item[R])   { heap.Push(d, i) }
func (d *delays[R]) remove(i *item[R]) { heap.Remove(d, i.place) }
