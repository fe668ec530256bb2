//go:build linux

package tests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/internal/testproc"
)

// The disk is full from one moment to the next. Either the broker sees it first, refuses what is stored on disk, and
// the run continues when there is room; or a stream meets it, and the run ends with a sentence that says so. The
// disk is a small file system of its own or, where a test may not mount one, a
// limit on the size of files.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	scratch := t.TempDir()
	disk, saved := filepath.Join(scratch, "disk"), filepath.Join(scratch, "saved")
	require.NoError(t, os.Mkdir(disk, 0o755))
	script := `
set -eu
disk=$1 saved=$2
shift 2
small=
if mount -t tmpfs -o size=24m tmpfs "$disk" 2>/dev/null; then small=1; fi
log=$saved.log
says() { grep -q "$1" "$log"; }
refused() { says "accepts nothing more for the disk" && says "no space left on device"; }
saves() { [ "$disk/run/checkpoints/manifest.json" -nt "$saved.freed" ]; }
# awaits waits until that is so, or the run has ended.
awaits() {
	n=0
	until "$@" || ! kill -0 $run 2>/dev/null; do
		n=$((n + 1))
		[ $n -lt 1200 ] || { echo "not within a minute: $*" >&2; exit 99; }
		sleep 0.05
	done
}
"$@" kuhn --games 6000 --run "$disk/run" >"$saved.first" 2>&1
if [ $small ]; then
	"$@" --resume --run "$disk/run" >"$log" 2>&1 &
	run=$!
	awaits says msg=resuming
	dd if=/dev/zero of="$disk/fill" bs=4k 2>/dev/null || true
	awaits refused
	rm "$disk/fill"
	touch "$saved.freed"
	awaits saves
	kill -TERM $run 2>/dev/null || true
	status=0
	wait $run || status=$?
else
	status=0
	(ulimit -f 16; exec "$@" --resume --run "$disk/run") >"$log" 2>&1 || status=$?
fi
cp -R "$disk/run" "$saved"
exit $status
`
	args := append([]string{"-c", script, "sh", disk, saved, croupier(t), "train", "--listen", "off", "--log-level",
		"info"}, quick...)
	cmd := exec.Command("sh", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // no other process sees the mount
	out, err := testproc.CombinedOutput(cmd)
	if errors.Is(err, syscall.EPERM) {
		cmd = exec.Command("sh", args...)
		out, err = testproc.CombinedOutput(cmd)
	}
	log, _ := os.ReadFile(saved + ".log")
	if err != nil { // the broker met the full disk before it saw that there is no room
		var status *exec.ExitError
		require.ErrorAs(t, err, &status, "%s%s", out, log)
		require.Equal(t, 1, status.ExitCode(), "%s%s", out, log)
		require.Regexp(t, `(?m)^croupier: .*(no space left on device|file too large)`, string(log))
	}
	before, err := newest(saved)
	require.NoError(t, err)

	// With room again the run continues from what was saved.
	p := startTrain(t, saved, "--resume", "--listen", "off", "--for", "1s", "--log-level", "info")
	require.Zero(t, p.wait(), p.output())
	require.NotContains(t, p.output(), "broken checkpoint")
	require.Equal(t, number(before.Samples), p.resumedFrom())
}

// TestActorStartedOnAFullDisk has an actor begin where not even its journal can be written:
// it says so and waits. Once there is room, it plays.
func TestActorStartedOnAFullDisk(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "evening")
	c.broker()
	learner := c.role("learner", "kuhn")
	disk, room, metrics := t.TempDir(), filepath.Join(t.TempDir(), "room"), testport.Free(t)
	script := `
set -eu
disk=$1 room=$2
shift 2
mount -t tmpfs -o size=64k tmpfs "$disk"
mkdir -p "$disk/evening/actors"
cat /dev/zero >"$disk/fill" 2>/dev/null || true
"$@" &
trap 'kill -9 $!' EXIT
while [ ! -e "$room" ]; do sleep 0.1; done
rm "$disk/fill"
wait $!
`
	asRoot(t)
	p := start(t, "actor", "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", disk, room,
		croupier(t),
		"actor", "--nats", c.nats, "--run", filepath.Join(disk, "evening"), "--actors", "2", "--metrics", metrics)
	actor := &role{process: p, metrics: metrics}
	actor.await("http://" + metrics + "/healthz")
	is := func(r *role, what, metric string, holds func(float64) bool) {
		eventually(t, what, func() error {
			if v := r.value(metric); !holds(v) {
				return fmt.Errorf("%s is %v", metric, v)
			}
			return nil
		})
	}
	is(actor, "both workers complain", "croupier_actor_journal_failing_workers", func(v float64) bool { return v == 2 })
	require.Zero(t, actor.value("croupier_actor_games_total"), "nothing is played that nobody could account for")
	require.NoError(t, os.WriteFile(room, nil, 0o600))
	is(actor, "journals are written", "croupier_actor_journal_failing_workers", func(v float64) bool { return v == 0 })
	is(learner, "its games arrive", "croupier_learner_games_total", func(v float64) bool { return v > 1000 })
	require.Contains(t, p.output(), "no space left on device")
}
