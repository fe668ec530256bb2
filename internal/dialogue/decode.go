package dialogue

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Decode reads an answer. Fields that this program does not know are left alone.
func Decode(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("invalid answer %s: %s", Quote(line),
			wrong(err, "it is not a JSON object (write text for people to standard error)"))
	}
	return nil
}

// DecodeRequest reads a request of another program.
func DecodeRequest(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("invalid request %s: %s", Quote(line), wrong(err, "it is not a JSON object"))
	}
	return nil
}

// wrong says in the words of the protocol why a line cannot be read; other is what is reported of a line that is no
// object.
func wrong(err error, other string) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return fmt.Sprintf("%s: a %s is of the wrong kind", kind.Field, kind.Value)
	}
	return other
}
