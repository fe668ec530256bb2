package described

// View is what is shown of a position of a game that only writes it as a text.
type View struct {
	Text string `json:"text"`
}

// String is what a terminal shows.
func (v View) String() string { return v.Text }
