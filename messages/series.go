package messages

// Series declares a learning curve, once: what shows or exports its points takes the
// words from here.
type Series struct {
	Name    string `json:"name"`              // as in Point.series
	Title   string `json:"title"`             // of its chart
	Unit    string `json:"unit"`              // of its values, in words
	Help    string `json:"help"`              // what a value says, a sentence
	Metric  string `json:"-"`                 // the learner's gauge of it; "" where another metric tells as much
	Section string `json:"section"`           // of the page: one of the constants
	Zero    bool   `json:"zero,omitempty"`    // an axis begins at 0
	Awaited bool   `json:"awaited,omitempty"` // its chart is there before its first point
	Smaller bool   `json:"-"`                 // is better, as of errors
	// Algorithms are those that have it; none: every run has it.
	Algorithms []string `json:"algorithms,omitempty"`
}

// Sections of the page with charts.
const (
	SeriesOfLearning   = "learning"
	SeriesOfThroughput = "throughput"
)
