package dialogue

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Decode reads an answer. Fields that this program does not know are left alone.
func Decode(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("the answer %s is not as it should be: %s", Quote(line), wrong(err))
	}
	return nil
}

// wrong says in the words of the protocol why an answer cannot be read.
func wrong(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return fmt.Sprintf("%s: a %s is of the wrong kind", kind.Field, kind.Value)
	}
	return "it is no JSON object (what is for people belongs on standard error)"
}
