package dataset

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"croupier/archive"
	"croupier/engine"
)

// SchemaVersion is that of the columns and metadata. It grows when one goes or changes its meaning.
const SchemaVersion = 2

// observationPrefix begins the names of the columns of an observation.
const observationPrefix = "obs_"

// column is a column of the file.
type column struct {
	name string
	node parquet.Node // of a value; optional if it may be absent
	list bool         // a list of as many values in every row
	// values appends the row's value, or those of its list. Absent is parquet.NullValue.
	values func(dst []parquet.Value, d *decision) []parquet.Value
}

// decision is a row.
type decision struct {
	*archive.Game
	run         string
	hash        string
	at          int // number of the step in the history
	seat        int
	state       engine.State
	legal       []int
	action      int
	logProb     float32 // NaN: not known
	observation []float32
	returns     []float64
}

// columnsOf returns the columns of a game, in order.
func columnsOf(spec *engine.Spec) []column {
	columns := append(gameColumns(), decisionColumns(spec)...)
	for _, s := range spec.Segments {
		node := parquet.Encoded(parquet.Leaf(parquet.FloatType), &parquet.RLEDictionary)
		columns = append(columns, column{
			observationPrefix + s.Name, node, s.Size > 1,
			func(dst []parquet.Value, d *decision) []parquet.Value {
				for _, x := range d.observation[s.Offset : s.Offset+s.Size] {
					dst = append(dst, parquet.FloatValue(x))
				}
				return dst
			},
		})
	}
	return columns
}

// gameColumns are those that are the same in all rows of a game.
func gameColumns() []column {
	return []column{
		text("run", func(d *decision) string { return d.run }),
		text("game_id", func(d *decision) string { return d.ID.String() }),
		text("purpose", func(d *decision) string { return d.Purpose }),
		text("match", func(d *decision) string { return d.Match }),
		one("time", parquet.Timestamp(parquet.Millisecond), func(d *decision) parquet.Value {
			return parquet.Int64Value(d.Time.UnixMilli())
		}),
		text("rules_hash", func(d *decision) string { return d.hash }),
		one("seed", parquet.Uint(64), func(d *decision) parquet.Value { return parquet.Int64Value(int64(d.Seed)) }),
		{"returns", parquet.Leaf(parquet.DoubleType), true, func(dst []parquet.Value, d *decision) []parquet.Value {
			for _, x := range d.returns {
				dst = append(dst, parquet.DoubleValue(x))
			}
			return dst
		}},
	}
}

// decisionColumns are those of a decision, but for its observation.
func decisionColumns(spec *engine.Spec) []column {
	return []column{
		number("step", func(d *decision) int { return d.at }),
		number("seat", func(d *decision) int { return d.seat }),
		text("agent", func(d *decision) string { return d.Agents[d.seat].Name }),
		one("agent_version", parquet.Int(64), func(d *decision) parquet.Value {
			return parquet.Int64Value(int64(d.Agents[d.seat].Version))
		}),
		one("return", parquet.Leaf(parquet.DoubleType), func(d *decision) parquet.Value {
			return parquet.DoubleValue(d.returns[d.seat])
		}),
		text("result", func(d *decision) string { return resultOf(d.returns, d.seat) }),
		number("action", func(d *decision) int { return d.action }),
		text("action_name", func(d *decision) string { return d.state.ActionName(d.action) }),
		one("log_prob", parquet.Optional(parquet.Leaf(parquet.FloatType)), func(d *decision) parquet.Value {
			if d.logProb != d.logProb {
				return parquet.NullValue()
			}
			return parquet.FloatValue(d.logProb)
		}),
		{"legal", parquet.Leaf(parquet.BooleanType), true, func(dst []parquet.Value, d *decision) []parquet.Value {
			from := len(dst)
			for range spec.Actions {
				dst = append(dst, parquet.BooleanValue(false))
			}
			for _, a := range d.legal {
				dst[from+a] = parquet.BooleanValue(true)
			}
			return dst
		}},
	}
}

// resultOf is the result of a seat: archive.Won if it alone has the highest return, archive.Drew if it shares it.
func resultOf(returns []float64, seat int) string {
	others := slices.Concat(returns[:seat], returns[seat+1:])
	switch best := slices.Max(append(others, returns[seat])); {
	case returns[seat] < best:
		return archive.Lost
	case slices.Contains(others, best):
		return archive.Drew
	}
	return archive.Won
}

func one(name string, node parquet.Node, value func(*decision) parquet.Value) column {
	return column{name, node, false, func(dst []parquet.Value, d *decision) []parquet.Value {
		return append(dst, value(d))
	}}
}

func number(name string, value func(*decision) int) column {
	return one(name, parquet.Int(32), func(d *decision) parquet.Value { return parquet.Int32Value(int32(value(d))) })
}

// text is a column of few different strings.
func text(name string, value func(*decision) string) column {
	node := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	return one(name, node, func(d *decision) parquet.Value { return parquet.ByteArrayValue([]byte(value(d))) })
}

// appendRow appends the values of a row, with the levels that say what is absent and where lists begin.
func appendRow(dst parquet.Row, columns []column, d *decision) parquet.Row {
	for at, c := range columns {
		from := len(dst)
		dst = c.values(dst, d)
		for i := range dst[from:] {
			v := &dst[from+i]
			repetition, definition := 0, 0
			if c.list {
				repetition = min(i, 1)
			}
			if c.list || c.node.Optional() && !v.IsNull() {
				definition = 1
			}
			*v = v.Level(repetition, definition, at)
		}
	}
	return dst
}

// ordered is a group whose fields are in the order of the columns.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }

// schemaOf is the schema of a file with these columns, each of which has one leaf.
func schemaOf(columns []column) *parquet.Schema {
	group, place := parquet.Group{}, map[string]int{}
	for i, c := range columns {
		node := c.node
		if c.list {
			node = parquet.List(node)
		}
		group[c.name], place[c.name] = node, i
	}
	fields := group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return place[a.Name()] - place[b.Name()] })
	return parquet.NewSchema("decisions", ordered{group, fields})
}

// entry is one of the file's metadata.
type entry struct{ key, value string }

// metadata reports what the file is, for readers of any language: keys, and texts or JSON.
func metadata(game engine.Game, o *Options, r *Report) []entry {
	type segment struct {
		Name   string `json:"name"`
		Column string `json:"column"`
		Offset int    `json:"offset"`
		Size   int    `json:"size"`
	}
	type group struct {
		Name  string `json:"name"`
		First int    `json:"first"`
		Count int    `json:"count"`
	}
	spec, hash := game.Spec(), engine.RulesHash(game)
	segments, groups := []segment{}, []group{}
	for _, s := range spec.Segments {
		segments = append(segments, segment{s.Name, observationPrefix + s.Name, s.Offset, s.Size})
	}
	for _, g := range spec.ActionGroups {
		groups = append(groups, group{g.Name, g.First, g.Count})
	}
	return []entry{
		{"croupier.schema", strconv.Itoa(SchemaVersion)}, {"croupier.version", o.Version}, {"croupier.game", spec.Name},
		{"croupier.rules", asJSON(game.Rules())}, {"croupier.rules_hash", hex.EncodeToString(hash[:])},
		{"croupier.runs", asJSON(o.Dirs)}, {"croupier.run_keys", asJSON(o.keys)}, {"croupier.unit", spec.Unit},
		{"croupier.seats", strconv.Itoa(spec.Seats)},
		{"croupier.actions", strconv.Itoa(spec.Actions)}, {"croupier.action_groups", asJSON(groups)},
		{"croupier.observation", asJSON(segments)},
		{"croupier.observation_size", strconv.Itoa(spec.ObservationSize)},
		{"croupier.games", strconv.Itoa(r.Games)}, {"croupier.damaged_blocks", strconv.Itoa(r.Damaged)},
		{"croupier.refused_games", strconv.Itoa(r.Refused)},
	}
}

// asJSON writes what has a JSON form.
func asJSON(v any) string {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(err) // rules are serialisable, and the rest is strings and numbers
	}
	return string(doc)
}

// describe names a game with its rules.
func describe(game engine.Game) string {
	return fmt.Sprintf("%s %s", game.Spec().Name, asJSON(game.Rules()))
}
