package bench

// Report is the result of a benchmark. Parts that were not measured are empty.
type Report struct {
	Machine   Machine     `json:"machine"`
	Engine    []Playouts  `json:"engine"`
	Gemm      []Product   `json:"gemm"`
	Inference []Inference `json:"inference"`
	Learner   []Training  `json:"learner"`
	CFR       []CFR       `json:"cfr"`
	Cluster   []Cluster   `json:"cluster"`
}

// Playouts is random play of one game on one core.
type Playouts struct {
	Game               string  `json:"game"`
	Mode               string  `json:"mode"` // "playout", or "observe" to include every decision's observation
	DecisionsPerSecond float64 `json:"decisions_per_second"`
	Spread
}

// Product is a product of an m×k and a k×n matrix.
type Product struct {
	M       int     `json:"m"`
	N       int     `json:"n"`
	K       int     `json:"k"`
	Threads int     `json:"threads"`
	Packed  bool    `json:"packed"` // the right factor was already packed, like weights during play
	GFLOPS  float64 `json:"gflops"` // 10⁹ floating-point operations per second; a product takes 2·m·n·k
	Spread
}

// Inference is a network's forward pass followed by sampling an action for each row.
type Inference struct {
	Net                string  `json:"net"`
	Batch              int     `json:"batch"`   // rows of one thread
	Threads            int     `json:"threads"` // each with batches of its own
	DecisionsPerSecond float64 `json:"decisions_per_second"`
	Spread
}

// Training is the learner's PPO update.
type Training struct {
	Net              string  `json:"net"`
	Precision        string  `json:"precision"` // of products: fp32, or bf16 where the processor has it
	Threads          int     `json:"threads"`
	SamplesPerSecond float64 `json:"samples_per_second"`
	MsPerUpdate      float64 `json:"ms_per_update"`
	Spread                   // of SamplesPerSecond
}

// CFR is CFR+ on one game on one core.
type CFR struct {
	Game                string  `json:"game"`
	IterationsPerSecond float64 `json:"iterations_per_second"`
	Spread
}

// Cluster is broker, actors, learner and league working together in one process. The rates
// are over the whole time; the Spread is that of the decisions per second in slices of that
// time.
type Cluster struct {
	Game               string  `json:"game"`
	Net                string  `json:"net"`
	Precision          string  `json:"precision"` // of the learner's products
	Seconds            float64 `json:"seconds"`
	DecisionsPerSecond float64 `json:"decisions_per_second"` // of all seats in training and arena games
	SamplesPerSecond   float64 `json:"samples_per_second"`   // decisions with a choice trained on
	// TrainingDecisionsPerSecond counts the decisions of all seats in published training
	// games.
	TrainingDecisionsPerSecond float64 `json:"training_decisions_per_second"`
	// ConsumedShare is the share of the produced games that were trained on. Produced games
	// are those that the actors published or, if there are more, those whose fate the
	// learner knows (some were already on their way at the beginning).
	ConsumedShare    float64 `json:"consumed_share"`
	LagVersions      float64 `json:"lag_versions"`       // mean lag of consumed games
	BytesPerDecision float64 `json:"bytes_per_decision"` // of published games
	Spread

	// Games by their fate, as recorded in the learner's ledger.
	Published uint64 `json:"published_games"`
	Consumed  uint64 `json:"consumed_games"`
	Stale     uint64 `json:"stale_games"`
	Refused   uint64 `json:"refused_games"`
	Lost      uint64 `json:"lost_games"`
}
