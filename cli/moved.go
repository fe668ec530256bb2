package cli

import "strings"

// formerNames are what commands were called before, and what they are called now.
var formerNames = []struct{ former, now string }{
	{"actors", "runs actors"},
	{"agent", "arena check"},
	{"backup", "runs backup"},
	{"compare", "advise compare"},
	{"credentials", "broker credentials"},
	{"dataset", "archive dataset"},
	{"exploit", "arena exploit"},
	{"health", "status --process"},
	{"restore", "runs restore"},
	{"review", "advise review"},
	{"verify", "runs verify"},
}

// moved returns the error of a call by a former name, or of a call for its help.
func moved(args []string) error {
	for len(args) > 0 && (args[0] == "help" || strings.HasPrefix(args[0], "-")) {
		args = args[1:]
	}
	for _, c := range formerNames {
		if len(args) > 0 && args[0] == c.former {
			return usage("croupier %s is croupier %s now", c.former, c.now)
		}
	}
	return nil
}
