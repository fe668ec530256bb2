package play

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/seed"
	"croupier/policy"
)

// server is a hall that can be started again.
type server struct {
	*Hall
	t      *testing.T
	dir    string
	source Source
	limits Limits
	log    bytes.Buffer
	stop   context.CancelFunc
}

// serve runs a test with a server of tables in a bubble with a clock of its own.
func serve(t *testing.T, do func(t *testing.T, s *server)) {
	dir := filepath.Join(t.TempDir(), "tables", "8080")
	synctest.Test(t, func(t *testing.T) {
		s := &server{t: t, dir: dir, source: source{}, limits: patient}
		s.start()
		do(t, s)
		s.end()
	})
}

func (s *server) start() {
	ctx, cancel := context.WithCancel(s.t.Context())
	s.stop = cancel
	s.Hall = NewHall(ctx, Options{
		Source: s.source, Limits: s.limits, Log: slog.New(slog.NewTextHandler(&s.log, nil)), Dir: s.dir,
	})
}

// end ends the server as a signal does.
func (s *server) end() {
	s.stop()
	s.working.Wait()
	require.Empty(s.t, s.rooms)
}

// again starts the server again, after an end in order, or after a kill: with the files as they were then.
func (s *server) again(killed bool) {
	if !killed {
		s.end()
		s.start()
		return
	}
	files := os.DirFS(s.dir)
	copied := s.t.TempDir()
	require.NoError(s.t, os.CopyFS(copied, files))
	s.end()
	s.dir = copied
	s.start()
}

// before is what a key sees but for what is counted again after a start.
func before(t *testing.T, s *server, made *Made, key string) *Show {
	t.Helper()
	show := seen(t, s.Hall, made, key)
	require.True(t, show.Table.Kept, s.log.String())
	show.Table.Revision = 0
	if show.Clock != nil {
		show.Clock.Left = 0
	}
	return show
}

// played makes up to fourteen steps of persons; each does what the number of their step says. restart is called before
// each of them. The result is the game so far.
func played(t *testing.T, s *server, made *Made, restart func(step int)) *history.Record {
	t.Helper()
	for step := range 14 {
		restart(step)
		for _, key := range made.Keys {
			if key == "" {
				continue
			}
			if show := seen(t, s.Hall, made, key); len(show.Actions) > 0 {
				_, err := s.Act(made.Table, key, show.Step, show.Actions[(7*show.Step)%len(show.Actions)].Action)
				require.NoError(t, err)
				break
			}
		}
	}
	synctest.Wait()
	return s.rooms[made.Table].table.Record()
}

// A game that is interrupted by ends and kills of its server is the game that nobody interrupts: everybody sees what
// they saw before, by the same keys, and later cards, dice and agents are the same.
func TestTablesSurviveARestart(t *testing.T) {
	random := SeatRequest{Agent: "random"}
	for name, seats := range map[string][]SeatRequest{
		"pig": {random}, "leduc": {{Person: "Bert"}}, "tysiac": {{Person: "Bert"}}, "lange-strasse": {random, random},
		"banluck": {{Person: "Bert", Bet: 7}, random},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, func(t *testing.T, s *server) {
				want := played(t, s, lay(t, s.Hall, name, seats...), func(int) {})
				made := lay(t, s.Hall, name, seats...)
				starts := 0
				got := played(t, s, made, func(step int) {
					if step%2 == 1 {
						return
					}
					starts++
					var shows []*Show
					keys := append([]string{made.Watch}, made.Keys...)
					for _, key := range keys {
						if key != "" {
							shows = append(shows, before(t, s, made, key))
						}
					}
					s.again(step%4 == 0)
					for _, key := range keys {
						if key != "" {
							require.Equal(t, document(t, shows[0]), document(t, before(t, s, made, key)))
							shows = shows[1:]
						}
					}
				})
				require.Equal(t, want, got)
				require.Positive(t, starts)
			})
		})
	}
}

// What a page sees after a start is newer than all that it has seen before.
func TestRevisionsGrowOverARestart(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		made := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		for range 3 {
			revision := seen(t, s.Hall, made, made.Keys[0]).Table.Revision
			s.again(true)
			require.Greater(t, seen(t, s.Hall, made, made.Keys[0]).Table.Revision, revision)
		}
	})
}

// People who share a device keep its key, and moves from before a start can be taken back after it.
func TestSharedDevicesAndUndoSurvive(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		made := layShared(t, s.Hall, "leduc", "", shared("Mum"), shared("Dad"))
		mine := made.Keys[0] + ":0"
		show := before(t, s, made, mine)
		_, err := s.Act(made.Table, mine, show.Step, show.Actions[0].Action)
		require.NoError(t, err)
		s.again(true)
		require.True(t, before(t, s, made, made.Keys[0]).Table.Device.Covered)
		_, err = s.Undo(made.Table, made.Keys[0])
		require.NoError(t, err)
		require.Equal(t, document(t, show), document(t, before(t, s, made, mine)))
	})
}

// After a start people still come in by the code and by the link of a seat, who laid the table fills its seats, and
// everybody is led to the next table. What was decided for them by the clock is still shown.
func TestOpenSeatsNotesAndNextTablesSurvive(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		open := SeatRequest{Open: true}
		made := lay(t, s.Hall, "bank", open, open, open)
		s.again(true)
		_, err := s.JoinByCode(made.Code, Guest{Name: "Bert"})
		require.NoError(t, err)
		s.again(true)
		cara, err := s.Join(made.Table, made.Keys[2], Guest{Name: "Cara"})
		require.NoError(t, err)
		s.again(false)
		_, err = s.Join(made.Table, made.Keys[2], Guest{Name: "Dan"})
		require.ErrorContains(t, err, noTable, "the link of a seat that is taken")
		_, err = s.Fill(t.Context(), made.Table, made.Host, "random")
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		show := before(t, s, made, cara.Key)
		require.Contains(t, document(t, show), "30s are over")
		s.again(false)
		require.Contains(t, document(t, before(t, s, made, cara.Key)), "30s are over")

		watched, err := s.Lay(t.Context(), Request{Game: "kuhn", Seats: []SeatRequest{{Person: "Anna"}, {Agent: "random"}}})
		require.NoError(t, err)
		played(t, s, watched, func(int) {})
		next, err := s.Again(watched.Table, watched.Keys[0], true)
		require.NoError(t, err)
		s.again(true)
		require.Equal(t, &NextSeat{next.Table, watched.Keys[0]}, before(t, s, watched, watched.Keys[0]).Table.Next)
		same, err := s.Again(watched.Table, watched.Keys[0], false)
		require.NoError(t, err)
		require.Equal(t, next, same)
		require.Equal(t, 1, before(t, s, next, watched.Keys[0]).Eye)
	})
}

// A file has no key by which somebody sits, and only the user of the server may read it.
func TestFilesOfTablesHoldNoKeys(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		made := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		path := s.store.path(made.Table)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, key := range append(made.Keys, made.Host) {
			require.NotContains(t, string(text), key)
		}
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	})
}

// A damaged file costs its own table, says so, and is not removed.
func TestDamagedTable(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		one, other := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"}), lay(t, s.Hall, "leduc", SeatRequest{Person: "Bert"})
		path := s.store.path(one.Table)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for at := 0; at < len(text); at += 31 {
			damaged := bytes.Clone(text)
			damaged[at] ^= 4
			_, err := readKept(damaged)
			require.Error(t, err, "byte %d", at)
		}
		_, err = readKept(text)
		require.NoError(t, err)
		s.end()
		text[len(text)/2] ^= 4
		require.NoError(t, os.WriteFile(path, text, 0o600))
		s.start()
		_, err = s.Show(one.Table, one.Keys[0], false)
		require.ErrorContains(t, err, "this table cannot be continued: its checksum is not that of its content")
		require.Contains(t, s.log.String(), filepath.Base(path))
		require.NotNil(t, before(t, s, other, other.Keys[0]))
		s.again(false)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, left)
	})
}

// Where nothing can be written people play on, and the page is not promised that the table is kept; as soon as there is
// room again it is.
func TestTablesOnAFullDisk(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		made := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		roll := func() *Table {
			t.Helper()
			show := seen(t, s.Hall, made, made.Keys[0])
			_, err := s.Act(made.Table, made.Keys[0], show.Step, 0)
			require.NoError(t, err)
			synctest.Wait()
			return s.rooms[made.Table].table
		}
		require.NoError(t, os.RemoveAll(s.dir))
		require.NoError(t, os.WriteFile(s.dir, []byte("in the way"), 0o600))
		roll()
		require.False(t, seen(t, s.Hall, made, made.Keys[0]).Table.Kept)
		require.Equal(t, 1, strings.Count(s.log.String(), "Tables are not kept for the next start of the server"))
		require.NoError(t, os.Remove(s.dir))
		_, err := s.Undo(made.Table, made.Keys[0])
		require.ErrorContains(t, err, ErrNoUndo.Error(), "it is not the answer that writes")
		require.True(t, seen(t, s.Hall, made, made.Keys[0]).Table.Kept)
		s.again(false)
		require.True(t, seen(t, s.Hall, made, made.Keys[0]).Table.Kept)
	})
}

// Of two servers with one folder the first one has it, until it ends; the second says that it keeps nothing.
func TestTwoServersOnOneFolder(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		first := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		other := &server{t: t, dir: s.dir, source: source{}, limits: patient}
		other.start()
		require.Contains(t, other.log.String(), "another server keeps its tables in")
		_, err := other.Show(first.Table, first.Keys[0], false)
		require.ErrorContains(t, err, noTable)
		second := lay(t, other.Hall, "pig", SeatRequest{Person: "Bert"})
		require.False(t, seen(t, other.Hall, second, second.Keys[0]).Table.Kept)
		s.end()
		show := seen(t, other.Hall, second, second.Keys[0])
		_, err = other.Act(second.Table, second.Keys[0], show.Step, 0)
		require.NoError(t, err)
		require.True(t, seen(t, other.Hall, second, second.Keys[0]).Table.Kept, "the folder is free now")
		other.end()
		s.start()
		require.NotNil(t, before(t, s, first, first.Keys[0]))
		require.NotNil(t, before(t, s, second, second.Keys[0]))
	})
}

// without is a source that has lost an agent.
type without struct{ source }

func (without) Agent(context.Context, engine.Game, string, string) (Agent, error) {
	return Agent{}, errors.New("the run has no version 3")
}

// Where an agent cannot be found again, the table is still there and says so.
func TestAgentIsGoneAfterARestart(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		made := lay(t, s.Hall, "pig", SeatRequest{Agent: "random"})
		s.source = without{}
		s.again(false)
		show := before(t, s, made, made.Keys[0])
		require.Empty(t, show.Table.Problem, "it is not asked yet")
		_, err := s.Act(made.Table, made.Keys[0], show.Step, 0)
		require.NoError(t, err)
		show = seen(t, s.Hall, made, made.Keys[0])
		for show.Table.Problem == "" && show.Mover == 0 {
			_, err := s.Act(made.Table, made.Keys[0], show.Step, show.Actions[len(show.Actions)-1].Action)
			require.NoError(t, err)
			show = seen(t, s.Hall, made, made.Keys[0])
		}
		require.Equal(t, "the game cannot continue: random cannot be found again: the run has no version 3", show.Table.Problem)
	})
}

// counted is an agent that says how often it was made and asked.
type counted struct {
	source
	recurrent bool
	late      time.Duration // until it is found
	asked     *int
}

func (c counted) Agent(context.Context, engine.Game, string, string) (Agent, error) {
	time.Sleep(c.late)
	return Agent{Name: "counted", Recurrent: func() bool { return c.recurrent },
		New: func() (policy.Policy, error) { return counting{asked: c.asked}, nil }}, nil
}

type counting struct {
	policy.Random
	asked *int
}

func (c counting) Choose(state engine.State, legal []int, rng *engine.RNG) int {
	*c.asked++
	return c.Random.Choose(state, legal, rng)
}

// An agent with a memory is given the game so far when it comes again, and one without is not asked again.
func TestAgentsRememberOverARestart(t *testing.T) {
	for recurrent, want := range map[bool]int{true: 2, false: 1} {
		serve(t, func(t *testing.T, s *server) {
			asked := 0
			s.source = counted{recurrent: recurrent, asked: &asked}
			s.again(false)
			made := lay(t, s.Hall, "leduc", SeatRequest{Agent: "counted"})
			raise := func() {
				show := seen(t, s.Hall, made, made.Keys[0])
				_, err := s.Act(made.Table, made.Keys[0], show.Step, show.Actions[len(show.Actions)-1].Action)
				require.NoError(t, err)
				synctest.Wait()
			}
			raise()
			require.Positive(t, asked)
			s.again(true)
			asked = 0
			for asked == 0 {
				raise()
			}
			require.Equal(t, want, min(asked, 2))
		})
	}
}

// So is one that takes a while to be found, after moves were taken back.
func TestLateAgentsRememberAfterAnUndo(t *testing.T) {
	for recurrent, want := range map[bool]int{true: 2, false: 1} {
		inHall(t, patient, func(t *testing.T, h *Hall) {
			asked := 0
			h.Source = counted{recurrent: recurrent, late: 2 * promptly, asked: &asked}
			made := lay(t, h, "leduc", SeatRequest{Agent: "counted"})
			raise := func() {
				show := seen(t, h, made, made.Keys[0])
				_, err := h.Act(made.Table, made.Keys[0], show.Step, show.Actions[len(show.Actions)-1].Action)
				require.NoError(t, err)
				time.Sleep(2 * promptly)
				synctest.Wait()
			}
			for asked < 2 {
				raise()
			}
			require.Equal(t, 2, asked)
			_, err := h.Undo(made.Table, made.Keys[0])
			require.NoError(t, err)
			asked = 0
			raise()
			require.Equal(t, want, asked)
		})
	}
}

// Tables in files count among those that there may be; the one that was left alone for longest makes way, and all go
// after a time. A table at which nobody looks for an hour is in its file alone, and comes back from there.
func TestKeptTablesAreBounded(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		s.limits = Limits{Tables: 2, Idle: time.Hour, Kept: 24 * time.Hour}
		s.again(false)
		first := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		time.Sleep(time.Minute)
		second := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		time.Sleep(90 * time.Minute)
		require.Empty(t, s.list())
		require.NotNil(t, before(t, s, second, second.Keys[0]))
		deal := seed.Asked(3)
		_, err := s.Lay(t.Context(), Request{Game: "pig", Seed: &deal, Seats: []SeatRequest{{Person: "A"}, {Agent: "random"}}})
		require.NoError(t, err)
		_, err = s.Show(first.Table, first.Keys[0], false)
		require.ErrorContains(t, err, noTable)
		require.NotNil(t, before(t, s, second, second.Keys[0]))
		time.Sleep(25 * time.Hour)
		_, err = s.Show(second.Table, second.Keys[0], false)
		require.ErrorContains(t, err, noTable)
		s.end()
		require.NoDirExists(t, s.dir, "no table is left")
		s.start()
	})
}

// What servers at other ports have left goes with its folder once it is too old.
func TestFoldersOfOtherServersAreTidied(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		s.end()
		old, recent := filepath.Join(filepath.Dir(s.dir), "40001"), filepath.Join(filepath.Dir(s.dir), "40002")
		for _, dir := range []string{old, recent} {
			require.NoError(t, os.CopyFS(dir, os.DirFS(s.dir)))
		}
		files, err := filepath.Glob(filepath.Join(old, "*.json"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		then := time.Now().Add(-72 * time.Hour)
		require.NoError(t, os.Chtimes(files[0], then, then))
		for _, dir := range []string{s.dir, recent} { // the clock of the bubble is another one than that of the disk
			files, err := filepath.Glob(filepath.Join(dir, "*.json"))
			require.NoError(t, err)
			require.NoError(t, os.Chtimes(files[0], time.Now(), time.Now()))
		}
		s.start()
		require.NoDirExists(t, old)
		require.DirExists(t, recent)
	})
}

// What an eye is shown after a start tells no more of what it has not noticed than before.
func TestRestartTellsNothingHidden(t *testing.T) {
	serve(t, func(t *testing.T, s *server) {
		made := lay(t, s.Hall, "pig", SeatRequest{Person: "Bert"})
		synctest.Wait()
		r := s.rooms[made.Table]
		r.mutex.Lock()
		r.tell(1)
		want := r.revision(0)
		r.mutex.Unlock()
		s.again(false)
		require.Equal(t, want+2*revisionGap, seen(t, s.Hall, made, made.Keys[0]).Table.Revision)
	})
}
