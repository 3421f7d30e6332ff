//go:build realdesktop

package desktop_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// screen is a virtual X server. Its root window is black, and what is not black
// is a notification.
type screen struct {
	t       *testing.T
	display string // "DISPLAY=:N"
	file    string // the frame buffer, which the server keeps in a file
	raw     []byte // what it was at the last look
	seen    *picture
}

func startScreen(t *testing.T) *screen {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dir := t.TempDir()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1200x700x24", "-nolisten", "tcp", "-fbdir", dir,
		"-noreset") // else it starts anew whenever its last client, an xdotool, has gone
	x.ExtraFiles = []*os.File{w}
	run(t, x)
	w.Close()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	return &screen{t: t, display: "DISPLAY=:" + strings.TrimSpace(number), file: filepath.Join(dir, "Xvfb_screen0")}
}

// keep writes a picture for whoever looks into a failure and returns its file.
func keep(t *testing.T, p *picture) string {
	t.Helper()
	f, err := os.CreateTemp("", "fwrap-screen-*.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// look takes a screenshot, the same one as before if nothing has changed. The
// file is an X window dump: a header of big-endian 32-bit words (XWDFile.h), the
// colour map, and the rows.
func (s *screen) look() (*picture, error) {
	b, err := os.ReadFile(s.file)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(b, s.raw) {
		return s.seen, nil
	}
	const words = 25
	if len(b) < 4*words {
		return nil, fmt.Errorf("%s has %d bytes", s.file, len(b))
	}
	var h [words]int
	for i := range h {
		h[i] = int(binary.BigEndian.Uint32(b[4*i:]))
	}
	size, width, height, order, bits, line, colours := h[0], h[4], h[5], h[7], h[11], h[12], h[19]
	at := size + 12*colours
	if bits != 32 || order != 0 || line < 4*width || len(b) < at+line*height {
		return nil, fmt.Errorf("%s is not understood: %v", s.file, h)
	}
	p := &picture{image.NewRGBA(image.Rect(0, 0, width, height))}
	for y := range height {
		row := b[at+y*line:]
		for x := range width {
			q := p.Pix[y*p.Stride+4*x:][:4]
			q[0], q[1], q[2], q[3] = row[4*x+2], row[4*x+1], row[4*x], 0xff
		}
	}
	s.raw, s.seen = b, p
	return p, nil
}

// windows returns how many windows of that class can be seen, and fails if one
// of them reaches over the screen's edge.
func (s *screen) windows(class string) int {
	s.t.Helper()
	xdotool := func(args ...string) string {
		cmd := exec.Command("xdotool", args...)
		cmd.Env = append(os.Environ(), s.display)
		out, _ := cmd.Output() // a search that finds nothing is a failure to it, and so is a window that goes
		return string(out)
	}
	ids := strings.Fields(xdotool("search", "--onlyvisible", "--class", class))
	for _, id := range ids {
		v := map[string]int{}
		for line := range strings.Lines(xdotool("getwindowgeometry", "--shell", id)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			n := 0
			fmt.Sscan(value, &n)
			v[name] = n
		}
		if r := image.Rect(v["X"], v["Y"], v["X"]+v["WIDTH"], v["Y"]+v["HEIGHT"]); !r.In(image.Rect(0, 0, 1200, 700)) {
			s.t.Errorf("a bubble is at %v", r)
		}
	}
	return len(ids)
}

// bubbles waits until n notifications can be seen and neither their number nor
// their look changes any more, and returns them from top to bottom.
func (s *screen) bubbles(d daemon, n int, when string) []*picture {
	s.t.Helper()
	var (
		last *picture
		got  []*picture
	)
	steady, windows := 0, 0
	poll(s.t, func() bool {
		p, err := s.look()
		if err != nil {
			return false
		}
		if p != last {
			last, got, steady = p, p.bubbles(), 0
		}
		if len(got) != n {
			return false
		}
		if windows = s.windows(d.class); windows != d.windows(n) {
			steady = 0
			return false
		}
		steady++
		return steady >= 5
	}, func() string {
		file := "none"
		if p, err := s.look(); err == nil {
			file = keep(s.t, p)
		}
		return fmt.Sprintf("%d bubbles %s; there are %d in %d windows; screenshot: %s", n, when, len(got), windows, file)
	})
	return got
}

// picture is a piece of a screenshot.
type picture struct{ *image.RGBA }

func (p *picture) cut(r image.Rectangle) *picture {
	return &picture{p.SubImage(r).(*image.RGBA)}
}

// bands returns the stretches of rows on which not everything has the colour,
// each as wide as it has to be.
func (p *picture) bands(blank color.RGBA) (list []*picture) {
	b := p.Bounds()
	box := image.Rectangle{}
	for y := b.Min.Y; y <= b.Max.Y; y++ {
		row := image.Rectangle{}
		if y < b.Max.Y {
			at := p.PixOffset(b.Min.X, y)
			first, last := extent(p.Pix[at:at+4*b.Dx()], blank)
			row = image.Rect(b.Min.X+first, y, b.Min.X+last, y+1)
		}
		if row.Empty() && !box.Empty() {
			list = append(list, p.cut(box))
		}
		if box = box.Union(row); row.Empty() {
			box = row
		}
	}
	return list
}

// extent returns where in a row of pixels there is another colour, from and up
// to; the same twice if nowhere.
func extent(row []byte, blank color.RGBA) (first, last int) {
	is := func(x int) bool {
		q := row[4*x : 4*x+3]
		return q[0] == blank.R && q[1] == blank.G && q[2] == blank.B
	}
	last = len(row) / 4
	for first < last && is(first) {
		first++
	}
	for last > first && is(last-1) {
		last--
	}
	return first, last
}

// bubbles are what is on a screenshot.
func (p *picture) bubbles() []*picture { return p.bands(color.RGBA{A: 0xff}) }

// lines are the lines of text in a bubble.
func (p *picture) lines() []*picture {
	const (
		frame  = 6  // pixels, more than either daemon draws
		icon   = 64 // as wide as one may be
		gutter = 12 // wider than the blank between words, narrower than that beside an icon
	)
	in := p.Bounds().Inset(frame)
	if in.Empty() {
		return nil
	}
	blank := p.RGBAAt(in.Min.X, in.Min.Y)
	ink, right := false, in.Min.X // of what there is on the left
	for x := in.Min.X; x < in.Max.X && x < in.Min.X+icon+2*gutter; x++ {
		column := p.cut(image.Rect(x, in.Min.Y, x+1, in.Max.Y))
		if len(column.bands(blank)) > 0 {
			ink, right = true, x
		} else if ink && x-right >= gutter {
			in.Min.X = x
			break
		}
	}
	return p.cut(in).bands(blank)
}

func (p *picture) same(q *picture) bool {
	a, b := p.Bounds(), q.Bounds()
	if a.Size() != b.Size() {
		return false
	}
	for y := range a.Dy() {
		i, j := p.PixOffset(a.Min.X, a.Min.Y+y), q.PixOffset(b.Min.X, b.Min.Y+y)
		if !bytes.Equal(p.Pix[i:i+4*a.Dx()], q.Pix[j:j+4*a.Dx()]) {
			return false
		}
	}
	return true
}

func same(a, b []*picture) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].same(b[i]) {
			return false
		}
	}
	return true
}

// poll asks until done says so, at most for 15 s.
func poll(t *testing.T, done func() bool, failed func() string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(15 * time.Second); !done(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("waited in vain for " + failed())
		}
	}
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	poll(t, done, func() string { return what })
}
