package cli

import (
	"errors"
	"io"
	"os"
	"time"

	"fwrap/detect"
	"fwrap/notify/tab"
)

// tabWriter writes the tab's label through the relay and logs each write where
// the person has asked for that.
type tabWriter struct {
	tab  *tab.Tab
	term terminal
	log  io.Writer // nil: no log
}

var errNoRoom = errors.New("no room in the terminal's queue")

func newTabWriter(cfg tab.Config, logFile string) *tabWriter {
	w := &tabWriter{tab: tab.New(cfg, time.Now())}
	if logFile != "" {
		// A log that cannot be opened must not keep the agent from running.
		if f, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			w.log = f
		}
	}
	return w
}

// show labels the tab with a status. The log names what led to it.
func (w *tabWriter) show(st detect.Status) {
	why := string(st.Source)
	if st.Rule != "" {
		why = st.Rule
	}
	if why == "" {
		why = "end"
	}
	w.tab.Show(time.Now(), why, tab.For(st))
	for {
		write, ok := w.tab.Next(time.Now())
		if !ok {
			return
		}
		var err error
		if write.Bytes != nil && !w.term.Inject(write.Bytes) {
			err = errNoRoom
		}
		line := w.tab.Done(time.Now(), err)
		if w.log != nil {
			io.WriteString(w.log, line+"\n")
		}
	}
}
