package web

import "net/http"

// BanluckTables is a solution of Banluck with one player, as its page shows it.
type BanluckTables struct {
	EV     float64       `json:"ev"` // of the player, units a hand
	StdDev float64       `json:"stddev"`
	Hands  []BanluckHand `json:"hands"` // all at which a seat can choose
}

// BanluckHand is a hand and what its choices are worth to the seat, in units.
type BanluckHand struct {
	Seat    string  `json:"seat"`    // player, dealer
	Against int     `json:"against"` // the number of the player's cards that the dealer sees; 0: none
	Hand    string  `json:"hand"`    // ranks ascending: "5-A"
	Total   int     `json:"total"`
	Soft    bool    `json:"soft"`
	Takes   string  `json:"takes"` // the names of the choices: hit or continue,
	Stops   string  `json:"stops"` // stand, stand or reveal, or surrender
	Share   float64 `json:"share"` // how often it takes
	EVTakes float64 `json:"ev_takes"`
	EVStops float64 `json:"ev_stops"`
	Bust    float64 `json:"bust"` // the probability of ending with more than 21 after taking
}

// banluckPage is there where the tables are.
var banluckPage = page{"banluck", "/banluck", "Banluck"}

// banluck answers with the tables, which are computed when they are first asked for.
func (s *server) banluck(w http.ResponseWriter, _ *http.Request) {
	tables, err := s.tables()
	if err != nil {
		s.log.Error("Cannot solve Banluck", "error", err)
		http.Error(w, "cannot solve the game", http.StatusInternalServerError)
		return
	}
	s.writeJSON(w, tables)
}
