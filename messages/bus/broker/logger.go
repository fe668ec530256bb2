package broker

import (
	"fmt"
	"log/slog"
	"sync"
)

// logger passes the server's log on. It keeps the first fatal error, with which a
// standalone server would end its process.
type logger struct {
	log     *slog.Logger
	refused func(line string) bool // takes lines about what clients were refused

	mu    sync.Mutex
	first error
}

// Noticef logs at debug level: the server's notices are of no interest here.
func (l *logger) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(format string, v ...any)  { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *logger) Tracef(format string, v ...any)  { l.log.Debug(fmt.Sprintf(format, v...)) }

// Errorf logs at error level what is not the fault of a client.
func (l *logger) Errorf(format string, v ...any) {
	if line := fmt.Sprintf(format, v...); !l.refused(line) {
		l.log.Error(line)
	}
}

func (l *logger) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == nil {
		l.first = fmt.Errorf(format, v...)
	}
}

func (l *logger) fatal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first
}
