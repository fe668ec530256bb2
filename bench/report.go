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
	Tables    []Tables    `json:"tables"`
	Fabric    []Fabric    `json:"fabric"`
	Scale     []Scale     `json:"scale"`
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

	// ModelShare is the processor time that the model (package scale) gives for these decisions, by the rates of
	// inference and training in the same report, as a share of what the process took; 0 without those rates.
	ModelShare float64 `json:"model_share"`

	// Games by their fate, as recorded in the learner's ledger.
	Published uint64 `json:"published_games"`
	Consumed  uint64 `json:"consumed_games"`
	Stale     uint64 `json:"stale_games"`
	Refused   uint64 `json:"refused_games"`
	Lost      uint64 `json:"lost_games"`
}

// Tables is a page with people at tables, each with a stream of events and moves over HTTP, beside
// bots that answer at once. Latencies are from sending a move to having read the answer, which
// shows the position after it.
type Tables struct {
	Game           string  `json:"game"`
	Tables         int     `json:"tables"`
	People         int     `json:"people"`
	Seconds        float64 `json:"seconds"`
	Moves          int     `json:"moves"` // of people
	Games          int     `json:"games"` // played to their end
	MovesPerSecond float64 `json:"moves_per_second"`
	P50            float64 `json:"p50_ms"`
	P99            float64 `json:"p99_ms"`
	Most           float64 `json:"max_ms"`
	Spread                 // of MovesPerSecond
}

// Fabric is a broker with many actors over TCP and the learner's door, all in one process. Whatever is per
// processor second counts both ends of the connections.
type Fabric struct {
	Game              string  `json:"game"`
	Actors            int     `json:"actors"`
	Seconds           float64 `json:"seconds"`
	GamesPerSecond    float64 `json:"games_per_second"` // through broker and door
	BytesPerSecond    float64 `json:"bytes_per_second"`
	GamesPerCPUSecond float64 `json:"games_per_cpu_second"` // of actors' sending, broker and door together
	DoorMicroseconds  float64 `json:"door_us"`              // processor time of a game at the door alone
	DoorShare         float64 `json:"door_share"`           // of the processor time that the door takes
	CPUShare          float64 `json:"cpu_share"`            // of all cores that the process got
	WeightsP50        float64 `json:"weights_p50_ms"`       // from publication until an actor has the bytes
	WeightsP99        float64 `json:"weights_p99_ms"`
	WeightsAll        float64 `json:"weights_all_ms"` // until the last actor has them, median over versions
	WeightsCPU        float64 `json:"weights_cpu_ms"` // processor time for each version and actor
	BytesPerActor     float64 `json:"bytes_per_actor"`
	DecisionsPerGame  float64 `json:"decisions_per_game"`
	BytesPerDecision  float64 `json:"bytes_per_decision"`
}

// Scale is what a model and a simulation say of a run of many machines.
type Scale struct {
	Cores              int     `json:"cores"`  // that play
	Search             bool    `json:"search"` // they look ahead
	BrokerCores        int     `json:"broker_cores"`
	Doors              int     `json:"door_cores"`
	LearnerCores       int     `json:"learner_cores"`
	Leaves             int     `json:"leaves"` // leaf brokers
	Link               float64 `json:"link_bytes_per_second"`
	Limit              string  `json:"limit"`                          // the station that saturates first
	DecisionsPerSecond float64 `json:"decisions_per_second"`           // learnt from, by the model
	Simulated          float64 `json:"simulated_decisions_per_second"` // by the simulation
	WaitSeconds        float64 `json:"wait_seconds"`                   // of a batch until it is learnt from, simulated
	PlayedShare        float64 `json:"played_share"`                   // of the actors' time that they play for the learner
	WeightsLink        float64 `json:"weights_link_share"`             // of the outgoing link that weights take; above 1: too much
}
