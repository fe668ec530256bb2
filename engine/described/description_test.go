package described

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/strict"
)

// whole is a description with a rule of each kind.
const whole = `{"name": "nim", "title": "Nim", "summary": "Take the last", "seats": 2, "payoff": "win-loss",
	"max_return": 1, "unit": "wins", "max_history": 9, "outcomes": 2, "outcome_names": ["low", "high"],
	"roles": ["first", "second"], "actions": [{"name": "take", "count": 2, "names": ["one", "two"]}],
	"observation": [{"name": "heap", "size": 3}], "rules": [
	{"name": "heap", "help": "Stones", "low": 1, "high": 9, "default": 7},
	{"name": "misere", "help": "The last loses", "default": false},
	{"name": "start", "help": "Who begins", "values": ["first", "second"], "default": "first"}]}`

// A description is refused with the field that is wrong and what may stand there.
func TestBadDescriptions(t *testing.T) {
	d, err := Read([]byte(whole))
	require.NoError(t, err)
	require.NoError(t, d.SameRules(d))
	other := *d
	other.Name = "mim"
	require.ErrorContains(t, d.SameRules(&other), "changes with the rules")
	for change, want := range map[string]string{
		`{"name": "Nim"}`:                             `name: invalid name "Nim": use one like "connect-four"`,
		`{"title": ""}`:                               "title: \"\" is not one line of text",
		`{"summary": "a\nb"}`:                         "summary: ",
		`{"seats": 9}`:                                "seats: 9 is not in 1..8",
		`{"outcomes": -1}`:                            "outcomes: -1 is not in 0..65536",
		`{"max_history": 0}`:                          "max_history: 0 is not in 1..16777216",
		`{"payoff": "gold"}`:                          `payoff: "gold" is not one of win-loss, money`,
		`{"max_return": 0}`:                           "max_return: 0 is not above 0",
		`{"temperature": -1}`:                         "temperature: -1 is below 0",
		`{"hidden_information": true}`:                "temperature: it must be above 0 where information is hidden",
		`{"covert": true}`:                            "covert: nothing is hidden",
		`{"roles": ["first"]}`:                        "roles: 1 names for 2 seats",
		`{"outcome_names": ["low"]}`:                  "outcome_names: 1 names for 2 outcomes",
		`{"actions": []}`:                             "actions: 0 are not in 1..65536",
		`{"actions": [{"name": "Take", "count": 2}]}`: `actions[0].name: invalid name "Take"`,
		`{"actions": [{"name": "take", "count": 0}]}`: "actions[0]: its size 0 is not in 1..65536",
		`{"actions": [{"name": "take", "count": 2, "names": ["one"]}]}`:           "actions[0].names: 1 names for 2 actions",
		`{"actions": [{"name": "a", "count": 65536}, {"name": "b", "count": 1}]}`: "actions: 65537 are not in",
		`{"observation": []}`: "observation: 0 numbers are not in",
		`{"observation": [{"name": "a", "size": 1}, {"name": "a", "size": 1}]}`:              "appears twice",
		`{"rules": [{"name": "file", "help": "Which", "default": 1}]}`:                       `rules[0].name: invalid name "file"`,
		`{"rules": [{"name": "program", "help": "Which", "default": 1}]}`:                    `rules[0].name: invalid name "program"`,
		`{"rules": [{"name": "heap", "help": "", "default": 1}]}`:                            "rules[0].help: ",
		`{"rules": [{"name": "heap", "help": "Stones", "low": 1, "high": 2, "default": 3}]}`: "rules[0].default: 3 is not in 1..2",
		`{"rules": [{"name": "heap", "help": "Stones", "high": 4294967296, "default": 3}]}`:  "must have 32 bits",
		`{"rules": [{"name": "heap", "help": "Stones", "values": ["a"], "default": "b"}]}`:   `"b" is not one of a`,
		`{"rules": [{"name": "heap", "help": "Stones", "values": ["a"], "default": 1}]}`:     "it is neither a whole number",
		`{"rules": [{"name": "heap", "help": "Stones", "default": [1]}]}`:                    "it is neither a whole number",
		`{"no_such_field": 1}`: "no_such_field",
	} {
		text := []byte(whole)
		changed := &Description{}
		require.NoError(t, strict.JSON(text).Decode(changed))
		err := strict.JSON([]byte(change)).Decode(changed)
		if err == nil {
			err = changed.check()
		}
		require.ErrorContains(t, err, want, change)
	}
	_, err = Read([]byte("{}"))
	require.ErrorContains(t, err, "description: ")
}
