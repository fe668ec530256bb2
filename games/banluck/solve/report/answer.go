package report

import (
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
)

// Answer is a study in numbers, in units a hand and from the player's point of view. Its JSON
// is the output of croupier solve banluck.
type Answer struct {
	Baseline    []Baseline `json:"baseline"`
	Equilibrium struct {
		EV               float64 `json:"ev"`
		HouseEdgePercent float64 `json:"house_edge_percent"`
		StdDev           float64 `json:"stddev"`
		Exploitability   float64 `json:"exploitability"`
		Iterations       int     `json:"iterations"`
		Seconds          float64 `json:"seconds"`
	} `json:"equilibrium"`
	Surrender struct {
		Hard15Probability  float64           `json:"hard15_probability"`
		EVWithoutSurrender float64           `json:"ev_without_surrender"`
		SavedUnits         float64           `json:"saved_units"`  // what it saves the dealer, units a hand
		SavedLosses        float64           `json:"saved_losses"` // share of all hands that he would lose otherwise
		GivenUpWins        float64           `json:"given_up_wins"`
		Hands              []SurrenderChoice `json:"hands"`
	} `json:"surrender"`
	Dealer []banluck.DealerTotal `json:"dealer"` // all totals that he gets to
	Reveal struct {
		EVWith          float64        `json:"ev_with"`
		EVWithout       float64        `json:"ev_without"`
		Forced          []Forced       `json:"forced"` // none if the rules do not allow to reveal
		FrequencyByHand []DealerChoice `json:"frequency_by_hand"`
	} `json:"reveal"`
	Player     []PlayerChoice `json:"player"`
	Simulation []Simulation   `json:"simulation,omitempty"` // for the caller to fill in, from Simulate
	*Agent                    // the same, from MeasureAgent: its fields stand next to the others
}

// Baseline is what the best play against a fixed dealer is worth.
type Baseline struct {
	Reveal    string  `json:"reveal"`    // on, off
	Surrender string  `json:"surrender"` // always, never
	EV        float64 `json:"ev"`
	StdDev    float64 `json:"stddev"`
}

// Forced compares the fixed dealer who always reveals at 16 and 17 (on) with the one who never does (off).
type Forced struct {
	Surrender         string  `json:"surrender"` // always, never
	EVOn              float64 `json:"ev_on"`
	EVOff             float64 `json:"ev_off"`
	Difference        float64 `json:"difference"` // on less off: what the player wins more, units a hand
	DifferencePercent float64 `json:"difference_percent"`
}

// DealerChoice is what the dealer does in equilibrium with a hand at 16 or 17, against a player
// with a given number of cards.
type DealerChoice struct {
	Dealer        string  `json:"dealer"`
	Total         int     `json:"total"`
	Soft          bool    `json:"soft"`
	PlayerCards   int     `json:"player_cards"`
	Hit           float64 `json:"hit"`
	StandOrReveal float64 `json:"stand_or_reveal"`
	Reach         float64 `json:"reach"` // how often he gets to choose there, in a hand
}

// SurrenderChoice is what the dealer does with a hard 15 in equilibrium, and what playing on is
// worth to him, in units.
type SurrenderChoice struct {
	Dealer     string  `json:"dealer"`
	Reach      float64 `json:"reach"`
	Surrender  float64 `json:"surrender"`
	EVContinue float64 `json:"ev_continue"`
	Bust       float64 `json:"bust"` // if he plays on
}

// PlayerChoice is what the player does with a hand in equilibrium, and what it is worth.
type PlayerChoice struct {
	Hand    string  `json:"hand"`
	Cards   int     `json:"cards"`
	Total   int     `json:"total"`
	Soft    bool    `json:"soft"`
	Hit     float64 `json:"hit"`
	Stand   float64 `json:"stand"`
	EVHit   float64 `json:"ev_hit"`
	EVStand float64 `json:"ev_stand"`
	Reach   float64 `json:"reach,omitempty"` // how often he gets to choose there, in a hand
}

// NewAnswer gathers what a study has found.
func NewAnswer(study *banluck.Study) *Answer {
	a := &Answer{}
	for _, b := range study.Baselines {
		a.Baseline = append(a.Baseline, Baseline{
			onOff(b.Dealer.Reveal), always(b.Dealer.Surrender), b.Solution.EV, b.Solution.StdDev,
		})
	}
	s, last := study.Equilibrium, study.Convergence[len(study.Convergence)-1]
	e := &a.Equilibrium
	e.EV, e.HouseEdgePercent, e.StdDev, e.Exploitability = s.EV, -100*s.EV, s.StdDev, s.Exploitability
	e.Iterations, e.Seconds = last.Iterations, last.Seconds
	a.Surrender.Hard15Probability, a.Surrender.EVWithoutSurrender = study.Hard15, study.WithoutSurrender.EV
	a.Reveal.EVWith, a.Reveal.EVWithout = study.WithReveal.EV, study.WithoutReveal.EV
	a.Reveal.Forced = forced(a.Baseline)
	for _, d := range study.HeadsUp.DealerHands() {
		w := study.Game.Worth(d)
		for cards := 2; cards <= game.MaxCards; cards++ {
			hits, _, _ := s.Dealer(d, cards)
			a.Reveal.FrequencyByHand = append(a.Reveal.FrequencyByHand, DealerChoice{
				d.String(), int(w.Total), w.Soft, cards, hits, 1 - hits, s.DealerReach(d, cards),
			})
		}
	}
	for _, h := range study.HeadsUp.PlayerHands() {
		hits, v, _ := s.Player(h)
		w := study.Game.Worth(h)
		a.Player = append(a.Player, PlayerChoice{
			h.String(), h.Size(), int(w.Total), w.Soft, hits, 1 - hits, v.Hit, v.Stop, s.PlayerReach(h),
		})
	}
	a.surrender(study)
	a.Dealer = s.DealerTotals()
	return a
}

// forced pairs the baselines with reveal on and off.
func forced(baselines []Baseline) []Forced {
	list := []Forced{}
	for _, on := range baselines {
		for _, off := range baselines {
			if on.Reveal == onOff(true) && off.Reveal == onOff(false) && on.Surrender == off.Surrender {
				list = append(list, Forced{on.Surrender, on.EV, off.EV, on.EV - off.EV, 100 * (on.EV - off.EV)})
			}
		}
	}
	return list
}

// surrender fills in the row of every hard 15, and what surrendering saves.
func (a *Answer) surrender(study *banluck.Study) {
	v, saved := &a.Surrender, study.Saved()
	v.SavedUnits = study.WithoutSurrender.EV - study.Equilibrium.EV
	v.SavedLosses, v.GivenUpWins = study.Hard15*saved.Loses, study.Hard15*saved.Wins
	v.Hands = []SurrenderChoice{}
	for _, d := range study.HeadsUp.Surrenderable() {
		goesOn, worth, _ := study.Equilibrium.GoesOn(d)
		v.Hands = append(v.Hands, SurrenderChoice{d.String(), worth.Chance, 1 - goesOn, worth.Hit, worth.BustIfHits})
	}
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func always(b bool) string {
	if b {
		return "always"
	}
	return "never"
}
