package strict

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Unmarshal reads JSON into v as [json.Unmarshal] does. Its errors are for people: they say where the text is no JSON,
// or which field has a value of the wrong kind, and name no types.
func Unmarshal(text []byte, v any) error { return PlainJSON(json.Unmarshal(text, v)) }

// PlainJSON returns an error of package json in the words of [Unmarshal], and any other as it is.
func PlainJSON(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errShortJSON
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		if syntax.Error() == "unexpected end of JSON input" {
			return errShortJSON
		}
		return fmt.Errorf("it is not JSON from byte %d on", syntax.Offset)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if kind.Field == "" {
			return fmt.Errorf("the JSON is of the wrong kind (%s)", kind.Value)
		}
		return fmt.Errorf("%s: a %s is of the wrong kind", kind.Field, kind.Value)
	}
	if err == nil {
		return nil
	}
	if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return fmt.Errorf("%s: unknown key", strings.Trim(key, `"`))
	}
	return err
}

var errShortJSON = errors.New("its JSON is cut off")
