package cli

import (
	"regexp"
	"slices"
	"strings"
)

// What cobra says of flags that do not go together, or are missing: with the whole group, and those that are meant.
var (
	together = regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)
	apart    = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set they must all be set; missing \[(.*)\]$`)
	none     = regexp.MustCompile(`^at least one of the flags in the group \[(.*)\] is required$`)
	missing  = regexp.MustCompile(`^required flag\(s\) (.*) not set$`)
)

// aboutFlags returns such an error in a sentence about the flags as they are typed, and any other text as it is.
func aboutFlags(text string) string {
	if m := together.FindStringSubmatch(text); m != nil {
		return typed(strings.Fields(m[1]), " and ") + " do not go together"
	}
	if m := apart.FindStringSubmatch(text); m != nil {
		lacking := strings.Fields(m[2])
		given := slices.DeleteFunc(strings.Fields(m[1]), func(flag string) bool { return slices.Contains(lacking, flag) })
		return typed(given, " and ") + " needs " + typed(lacking, " and ")
	}
	if m := none.FindStringSubmatch(text); m != nil {
		return "give " + typed(strings.Fields(m[1]), " or ")
	}
	if m := missing.FindStringSubmatch(text); m != nil {
		return "give " + typed(strings.Fields(strings.NewReplacer(`"`, "", ",", "").Replace(m[1])), " and ")
	}
	return text
}

// typed lists flags as they are typed.
func typed(flags []string, last string) string {
	for i := range flags {
		flags[i] = "--" + flags[i]
	}
	if n := len(flags) - 1; n > 0 {
		return strings.Join(flags[:n], ", ") + last + flags[n]
	}
	return strings.Join(flags, "")
}
