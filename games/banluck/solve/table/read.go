package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"croupier/engine"
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
	"croupier/policy"
)

// IsTable reports whether a file is a table of [Strategies].
func IsTable(data []byte) bool { return bytes.HasPrefix(data, []byte("solution,seat,hand,")) }

// The columns of a table that are read.
const (
	solutionColumn = 0
	hitColumn      = 7 // it and all after it are numbers
)

// ReadPlayer reads a table of [Strategies] of a game, which must be Banluck with one player, and
// returns a factory of players of its equilibrium. Every number must be what the strategies give
// under the game's rules; errors name the line.
func ReadPlayer(g engine.Game, data []byte) (func() policy.Stochastic, error) {
	t, err := banluck.NewHeadsUp(g)
	if err != nil {
		return nil, fmt.Errorf("it is a table of banluck with one player: %w", err)
	}
	rows, err := readRows(data)
	if err != nil {
		return nil, err
	}
	study := &banluck.Study{Game: g.(*game.Game), HeadsUp: t, Equilibrium: t.SolutionWith(&banluck.Choices{})}
	if study.Baselines, err = t.Baselines(); err != nil {
		return nil, err
	}
	if err := compare(rows, study, 0, hitColumn); err != nil {
		return nil, err
	}
	if study.Equilibrium, err = equilibriumOf(rows, t); err != nil {
		return nil, err
	}
	if err := compare(rows, study, hitColumn, len(Columns)); err != nil {
		return nil, err
	}
	return study.Equilibrium.Policy, nil
}

// readRows returns the rows below the header, each with as many cells as there are columns.
func readRows(data []byte) ([][]string, error) {
	in := csv.NewReader(bytes.NewReader(data))
	in.FieldsPerRecord = len(Columns)
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err // it names the line
	}
	if !slices.Equal(rows[0], Columns) {
		return nil, fmt.Errorf("line 1: the columns are %s, not %s", strings.Join(rows[0], ","), strings.Join(Columns, ","))
	}
	return rows[1:], nil
}

// compare checks some columns of the rows against a study.
func compare(rows [][]string, study *banluck.Study, from, to int) error {
	line := 1
	for want := range Strategies(study) {
		line++
		if line-2 >= len(rows) {
			return fmt.Errorf("line %d: the table ends before the row of %s", line, strings.Join(want[:hitColumn], ","))
		}
		row := rows[line-2]
		for i := from; i < to; i++ {
			if i < hitColumn && row[i] != want[i] {
				return fmt.Errorf("line %d: it is the row of %s; under these rules %s follows",
					line, strings.Join(row[:hitColumn], ","), strings.Join(want[:hitColumn], ","))
			}
			if i >= hitColumn && !near(row[i], want[i]) {
				return fmt.Errorf("line %d: %s is %s; under these rules the strategies of the table give %s",
					line, Columns[i], row[i], want[i])
			}
		}
	}
	if line-1 < len(rows) {
		return fmt.Errorf("line %d: the table should have ended before it", line+1)
	}
	return nil
}

// near reports whether two numbers are the same but for rounding on other machines.
func near(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return err == nil && math.Abs(x-y) <= 1e-9
}

// equilibriumOf returns the solution with the strategies of the rows, which are those of
// [Strategies].
func equilibriumOf(rows [][]string, t *banluck.HeadsUp) (*banluck.Solution, error) {
	c := &banluck.Choices{Player: map[game.Hand]float64{}, GoesOn: map[game.Hand]float64{}}
	for cards := range c.Dealer {
		c.Dealer[cards] = map[game.Hand]float64{}
	}
	at := func(hands []game.Hand, dst map[game.Hand]float64, first int) error {
		for i, h := range hands {
			hits, err := strconv.ParseFloat(rows[first+i][hitColumn], 64)
			if err != nil || !(hits >= 0 && hits <= 1) {
				return fmt.Errorf("line %d: hit is %q, not a share from 0 to 1", first+i+2, rows[first+i][hitColumn])
			}
			dst[h] = hits
		}
		return nil
	}
	first := slices.IndexFunc(rows, func(row []string) bool { return row[solutionColumn] == "equilibrium" })
	if err := at(t.PlayerHands(), c.Player, first); err != nil {
		return nil, err
	}
	first += len(t.PlayerHands())
	for cards := 2; cards <= game.MaxCards; cards++ {
		if err := at(t.DealerHands(), c.Dealer[cards], first); err != nil {
			return nil, err
		}
		first += len(t.DealerHands())
	}
	if err := at(t.Surrenderable(), c.GoesOn, first); err != nil {
		return nil, err
	}
	return t.SolutionWith(c), nil
}
