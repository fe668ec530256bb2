package solve

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/policy"
)

// A table file is a line with its kind and version, a 16-byte digest of the rules, the table,
// and the SHA-256 of everything before.
const (
	magic      = "croupier lange-strasse "
	turnLine   = magic + "turn 1\n"
	moneyLine  = magic + "money 3\n"
	digestSize = 16
)

// IsTable reports whether a file claims to be a table of Lange Strasse.
func IsTable(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// WriteTurn writes the turn optimum as a table file.
func WriteTurn(w io.Writer, o *langestrasse.Optimum) error {
	table, err := o.MarshalBinary()
	if err != nil {
		return err
	}
	return writeTable(w, turnLine, table)
}

// ReadPlayer reads a table file and returns a factory of players of its solution.
func ReadPlayer(game engine.Game, data []byte) (func() policy.Stochastic, error) {
	if _, ok := game.(*langestrasse.Game); !ok {
		return nil, fmt.Errorf("it is a table of lange-strasse, not of %s", game.Spec().Name)
	}
	line, table, err := readTable(data)
	if err != nil {
		return nil, err
	}
	switch line {
	case turnLine:
		o, err := langestrasse.ReadOptimum(table)
		if err != nil {
			return nil, err
		}
		return turnPlayers(o), nil
	case moneyLine:
		v, err := readValues(table)
		if err != nil {
			return nil, err
		}
		return v.players(), nil
	}
	return nil, fmt.Errorf("it begins with %q, which this version does not read", line)
}

// WriteMoney writes values of the money game as a table file.
func WriteMoney(w io.Writer, v *Values) error { return writeTable(w, moneyLine, v.table()) }

func writeTable(w io.Writer, line string, table []byte) error {
	digest := rulesDigest()
	data := append([]byte(line), digest[:]...)
	data = append(data, table...)
	sum := sha256.Sum256(data)
	_, err := w.Write(append(data, sum[:]...))
	return err
}

// readTable checks a file and returns its first line and its table.
func readTable(data []byte) (line string, table []byte, err error) {
	if !IsTable(data) {
		return "", nil, fmt.Errorf("it does not begin with %q", magic)
	}
	end := bytes.IndexByte(data, '\n') + 1
	body := len(data) - sha256.Size
	if end == 0 || body < end+digestSize {
		return "", nil, errors.New("it is cut off")
	}
	if sum := sha256.Sum256(data[:body]); !bytes.Equal(sum[:], data[body:]) {
		return "", nil, errors.New("its checksum does not match: it is damaged or cut off")
	}
	if digest := rulesDigest(); !bytes.Equal(digest[:], data[end:end+digestSize]) {
		return "", nil, errors.New("it was made for other rules")
	}
	return string(data[:end]), data[end+digestSize : body], nil
}

// rulesDigest is a digest of all moves of a turn, so that a table is only used with the rules
// it was made for.
func rulesDigest() (digest [digestSize]byte) {
	turn, hash := langestrasse.NewTurn(), sha256.New()
	for set := range turn.Sets() {
		for _, throw := range turn.Throws(set) {
			for _, m := range turn.Moves(set, throw.Index) {
				hash.Write(binary.LittleEndian.AppendUint16([]byte{m.Action, m.Next}, m.Points))
			}
			hash.Write([]byte{0})
		}
	}
	copy(digest[:], hash.Sum(nil))
	return digest
}
