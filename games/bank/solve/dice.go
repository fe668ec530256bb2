package solve

// What a roll does to the bank.
const (
	bust   = 1.0 / 6 // probability that a roll after the third ends the round
	double = 1.0 / 6 // and that it doubles the bank
)

// addition is a roll that adds points, and its probability.
type addition struct {
	points      int
	probability float64
}

var (
	// additions are the rolls after the third that add their sum.
	additions = [...]addition{
		{3, 2. / 36}, {4, 2. / 36}, {5, 4. / 36}, {6, 4. / 36},
		{8, 4. / 36}, {9, 4. / 36}, {10, 2. / 36}, {11, 2. / 36},
	}
	// safeAdditions are the first three rolls of a round.
	safeAdditions = [...]addition{
		{2, 1. / 36}, {3, 2. / 36}, {4, 3. / 36}, {5, 4. / 36}, {6, 5. / 36}, {70, 6. / 36},
		{8, 5. / 36}, {9, 4. / 36}, {10, 3. / 36}, {11, 2. / 36}, {12, 1. / 36},
	}
)

const (
	mostSafe = 70 // the most that a safe roll adds
	mostAdd  = 11 // the most that a later roll adds without doubling
)

// A stage is the number of rolls in the round when seats are asked: 1, 2, or 3 and more, from
// where all further rolls are alike.
const stages = 3

// mostBank is the largest bank of a stage that tables hold.
func mostBank(stage, size int) int {
	if stage == stages {
		return size
	}
	return stage * mostSafe
}
