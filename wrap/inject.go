package wrap

import "sync"

// maxQueued bounds each queue of own sequences, in bytes. It is room for a few
// hundred titles; who sends more while nothing can be written loses the newest.
const maxQueued = 16 << 10

// queue holds sequences until they can be written. Any goroutine may put.
type queue struct {
	mu   sync.Mutex
	buf  []byte
	shut bool
}

// put adds seq whole, or not at all if there is no room.
func (q *queue) put(seq []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.shut || len(q.buf)+len(seq) > maxQueued {
		return false
	}
	q.buf = append(q.buf, seq...)
	return true
}

func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.buf) == 0
}

// take empties the queue.
func (q *queue) take() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.buf
	q.buf = nil
	return b
}

// close makes put refuse everything from now on, and empties the queue.
func (q *queue) close() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.buf
	q.buf, q.shut = nil, true
	return b
}
