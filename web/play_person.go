package web

import (
	"errors"
	"net/http"

	"croupier/play"
)

// statistics answers with what the person of a key has played, as "croupier play --stats --json"
// writes it. A key that nobody has is one of somebody who has not played yet.
func (a *playAPI) statistics(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	entries, err := []play.Entry(nil), play.CheckPersonKey(key)
	if people := a.hall.People; err == nil && people != nil {
		entries, err = people.Read(key)
	}
	if err != nil {
		a.refusePerson(w, err)
		return
	}
	writeJSON(w, a.log, append([]play.Tally{}, play.Statistics(entries)...))
}

// forget deletes what is kept of the person of a key.
func (a *playAPI) forget(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	err := play.CheckPersonKey(key)
	if people := a.hall.People; err == nil && people != nil {
		err = people.Delete(key)
	}
	if err != nil {
		a.refusePerson(w, err)
		return
	}
	writeJSON(w, a.log, struct{}{})
}

// refusePerson tells what is wrong with a key; what is wrong with a file is for the log.
func (a *playAPI) refusePerson(w http.ResponseWriter, err error) {
	var refusal *play.Refusal
	if errors.As(err, &refusal) {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	a.log.Error("A person's games cannot be reached", "error", err)
	refuse(w, http.StatusInternalServerError,
		errors.New("the file with the games cannot be read or deleted: see the server's log"))
}
