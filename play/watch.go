package play

import "sync"

// Watch informs one page or terminal of changes at a table. It must be closed.
type Watch struct {
	room    *room
	pass    pass
	changed chan struct{}
	once    sync.Once
}

// Watch begins to look at a table; the person whose key it is counts as present.
func (h *Hall) Watch(id, key string) (*Watch, error) {
	r, p, err := h.pass(id, key)
	if err != nil {
		return nil, err
	}
	w := &Watch{room: r, pass: p, changed: make(chan struct{}, 1)}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.watchers[w] = struct{}{}
	for _, seat := range p.seats {
		if r.present[seat]++; r.present[seat] == 1 {
			r.tellAll()
		}
	}
	return w, nil
}

// Changed receives when there is something new to show; several changes may be one.
func (w *Watch) Changed() <-chan struct{} { return w.changed }

// Closed is closed when the table is.
func (w *Watch) Closed() <-chan struct{} { return w.room.done }

// Close ends the watch.
func (w *Watch) Close() {
	w.once.Do(func() {
		w.room.mutex.Lock()
		defer w.room.mutex.Unlock()
		delete(w.room.watchers, w)
		for _, seat := range w.pass.seats {
			if w.room.present[seat]--; w.room.present[seat] == 0 {
				w.room.tellAll()
			}
		}
	})
}

func (w *Watch) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}
