// Package descriptors divides the files and connections that the operating system lets
// this process have open. A port that takes no more connections than its share leaves
// the others room for the files they write.
package descriptors

// unlimited stands for no limit, or one that is not known.
const unlimited = 1 << 20

// Share returns how many descriptors a part of the program may use: the limit of the
// process divided by parts, at least one and at most the given number.
func Share(parts, most int) int {
	return max(1, min(limit()/parts, most))
}
