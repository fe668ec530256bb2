package dialogue

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Decode reads an answer. Fields that this program does not know are left alone.
func Decode(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("the answer %s is not as it should be: %s", Quote(line),
			wrong(err, "it is no JSON object (what is for people belongs on standard error)"))
	}
	return nil
}

// DecodeRequest reads a request of another program.
func DecodeRequest(line []byte, into any) error {
	if err := json.Unmarshal(line, into); err != nil {
		return fmt.Errorf("the request %s is not as it should be: %s", Quote(line), wrong(err, "it is no JSON object"))
	}
	return nil
}

// wrong says in the words of the protocol why a line cannot be read; other is what is said of a line that is no object.
func wrong(err error, other string) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return fmt.Sprintf("%s: a %s is of the wrong kind", kind.Field, kind.Value)
	}
	return other
}
