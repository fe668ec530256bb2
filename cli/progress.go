package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
)

// progress shows how far long work is, on a terminal to which standard error goes, from a second after its beginning
// to its end: which part is done, as a bar, and how long the rest will take if it takes as long for each part.
type progress struct {
	screen *console
	what   string // is done
	began  time.Time
	ended  chan struct{}
	shower sync.WaitGroup

	mutex       sync.Mutex
	done, total float64 // parts; the total is 0 where it is unknown
	shown       time.Time
}

// How often progress is shown, and from when on. Tests change them.
var (
	progressTick = 250 * time.Millisecond
	progressFrom = time.Second
)

// barWidth is the number of characters of a bar.
const barWidth = 20

// addQuiet adds the flag that hides progress to a command that has no log.
func addQuiet(f *pflag.FlagSet, quiet *bool) {
	f.BoolVarP(quiet, "quiet", "q", false, "show no progress")
}

// newProgress begins to show progress unless it is to be quiet. Its end must be called before anything is printed but
// what goes through its screen.
func newProgress(errOut io.Writer, what string, quiet bool) *progress {
	p := &progress{screen: newConsole(errOut, !quiet), what: what, began: time.Now(), ended: make(chan struct{})}
	if p.screen.live {
		p.shower.Go(p.show)
	}
	return p
}

// of reports how many of the equal parts of the work are done.
func (p *progress) of(done, total int) { p.to(float64(done), float64(total)) }

// to reports how much of the work is done, in any unit. The total is 0 where it is unknown.
func (p *progress) to(done, total float64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done, p.total = done, total
	p.draw()
}

// at reports what is being done, and which share of the work is done: from 0 to 1, or below 0 where it is unknown.
func (p *progress) at(what string, share float64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.what, p.done, p.total = what, share, 1
	if share < 0 {
		p.total = 0
	}
	p.draw()
}

// show shows the progress to its end, also while no part comes to its own.
func (p *progress) show() {
	ticker := time.NewTicker(max(progressTick, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-ticker.C:
			p.mutex.Lock()
			p.draw()
			p.mutex.Unlock()
		}
	}
}

// draw shows the progress if that is due. The caller has the lock.
func (p *progress) draw() {
	now := time.Now()
	if !p.screen.live || now.Sub(p.began) < progressFrom || now.Sub(p.shown) < progressTick || p.isOver() {
		return
	}
	p.shown = now
	p.screen.status(p.parts(now.Sub(p.began)))
}

func (p *progress) isOver() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// end removes what is shown. It may be called again.
func (p *progress) end() {
	p.mutex.Lock()
	defer p.shower.Wait()
	defer p.mutex.Unlock()
	if p.isOver() {
		return
	}
	close(p.ended)
	if p.screen.live {
		p.screen.status(nil)
	}
}

// parts reports how far the work is some time after its beginning. The caller has the lock.
func (p *progress) parts(after time.Duration) []string {
	if p.total <= 0 {
		return []string{p.what, fmt.Sprintf("for %v", after.Round(time.Second))}
	}
	share := min(p.done/p.total, 1)
	full := int(share * barWidth)
	parts := []string{
		p.what,
		fmt.Sprintf("[%s%s] %d %%", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), int(100*share)),
	}
	if share <= 0 {
		return append(parts, fmt.Sprintf("for %v", after.Round(time.Second)))
	}
	left := time.Duration(float64(after) * (1 - share) / share)
	return append(parts, fmt.Sprintf("about %v left", left.Round(time.Second)))
}
