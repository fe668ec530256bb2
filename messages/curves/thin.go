package curves

import (
	"cmp"
	"maps"
	"os"
	"slices"

	"croupier/internal/durable"
	"croupier/messages"
)

// thin replaces the file by a smaller one.
func (w *Writer) thin() error {
	records, _, err := Read(w.path)
	if err != nil {
		return err
	}
	var text []byte
	for _, r := range halve(records) {
		doc, err := encode(r)
		if err != nil {
			return err
		}
		text = append(text, doc...)
	}
	if err := durable.WriteFile(w.path, text); err != nil {
		return err
	}
	file, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	w.file.Close()
	w.file, w.size = file, len(text)
	return nil
}

// halve merges neighbouring records of each source in pairs. What a learner superseded, when it
// continued from an earlier checkpoint, goes; the newest record of a source stays as it is.
func halve(records []Entry) (half []Entry) {
	bySource := map[string][]Entry{}
	for _, r := range records {
		kept := bySource[r.Points.Source]
		for len(kept) > 0 && kept[len(kept)-1].Points.Samples > r.Points.Samples {
			kept = kept[:len(kept)-1]
		}
		bySource[r.Points.Source] = append(kept, r)
	}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		list := bySource[source]
		newest := len(list) - 1
		for pair := range slices.Chunk(list[:newest], 2) {
			if len(pair) == 2 {
				half = append(half, mean(pair[0], pair[1]))
			} else {
				half = append(half, pair[0])
			}
		}
		half = append(half, list[newest])
	}
	slices.SortStableFunc(half, func(a, b Entry) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return half
}

// mean merges two records of a source; a series that only one has keeps its value.
func mean(a, b Entry) Entry {
	between := func(x, y float64) float64 { return x + (y-x)/2 }
	points := map[string]*messages.Point{}
	for _, p := range slices.Concat(a.Points.Points, b.Points.Points) {
		known, found := points[p.Series]
		if !found {
			points[p.Series] = p
			continue
		}
		points[p.Series] = &messages.Point{
			Series: p.Series, Value: between(known.Value, p.Value), Low: between(known.Low, p.Low),
			High: between(known.High, p.High), HasInterval: known.HasInterval && p.HasInterval,
		}
	}
	merged := &messages.Points{
		Schema: messages.SchemaVersion, Source: a.Points.Source, Seconds: between(a.Points.Seconds, b.Points.Seconds),
		Samples: a.Points.Samples + (b.Points.Samples-a.Points.Samples)/2,
	}
	for _, series := range slices.Sorted(maps.Keys(points)) {
		merged.Points = append(merged.Points, points[series])
	}
	return Entry{b.Sequence, merged}
}
