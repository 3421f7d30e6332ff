package screen

import "fwrap/wrap/seq"

// csi executes a control sequence if it draws or changes how things are drawn.
// Everything else, queries, colours, keyboard and mouse modes, is for the
// person's terminal alone.
func (s *Screen) csi(c *seq.Params) {
	switch {
	case len(c.Inter) == 1 && c.Prefix == 0:
		s.csiInter(c)
	case len(c.Inter) > 0:
	case c.Prefix == '?':
		switch c.Final {
		case 'h', 'l':
			for i := range c.Len() {
				s.privateMode(c.Arg(i), c.Final == 'h')
			}
		case 'J', 'K': // DECSED, DECSEL: nothing is protected here
			s.erase(c)
		}
	case c.Prefix == 0:
		switch c.Final {
		case '@', 'P', 'X', 'J', 'K', 'L', 'M', 'S', 'T', 'b':
			s.edit(c)
		default:
			s.csiMove(c)
		}
	}
}

// count is parameter i, at least 1 and at most most.
func count(c *seq.Params, i, most int) int { return max(1, min(c.Arg(i), most)) }

// csiMove executes what moves the cursor or says how it may move.
func (s *Screen) csiMove(c *seq.Params) {
	cols, rows, m := s.grid.cols, s.grid.rows, s.region()
	switch c.Final {
	case 'A', 'F': // CUU, CPL: not past the top margin from below it
		n := count(c, 0, rows)
		if s.y >= m.top {
			n = min(n, s.y-m.top)
		}
		s.move(s.x, s.y-n)
	case 'B', 'E': // CUD, CNL: not past the bottom margin from above it
		n := count(c, 0, rows)
		if s.y <= m.bottom {
			n = min(n, m.bottom-s.y)
		}
		s.move(s.x, s.y+n)
	case 'C', 'a': // CUF, HPR
		s.move(s.x+count(c, 0, cols), s.y)
	case 'D': // CUB
		s.move(s.x-count(c, 0, cols), s.y)
	case 'G', '`': // CHA, HPA
		s.move(count(c, 0, cols)-1, s.y)
	case 'H', 'f': // CUP, HVP
		s.moveAbs(count(c, 1, cols)-1, count(c, 0, rows)-1)
	case 'd': // VPA
		s.moveAbs(s.x, count(c, 0, rows)-1)
	case 'e': // VPR
		s.move(s.x, s.y+count(c, 0, rows))
	case 'I': // CHT
		for n := count(c, 0, cols); n > 0 && !s.pending; n-- {
			s.x = s.tabs.next(s.x, cols-1)
		}
	case 'Z': // CBT
		for n := count(c, 0, cols); n > 0 && !s.pending; n-- {
			s.x = s.tabs.prev(s.x)
		}
	case 'g': // TBC
		switch c.Arg(0) {
		case -1, 0:
			if !s.pending {
				s.tabs.clear(s.x)
			}
		case 3:
			s.tabs = tabStops{}
		}
	case 'h', 'l': // SM, RM
		for i := range c.Len() {
			switch c.Arg(i) {
			case 4:
				s.insert = c.Final == 'h'
			case 20:
				s.newline = c.Final == 'h'
			}
		}
	case 'r': // DECSTBM
		top, bottom := count(c, 0, rows), c.Arg(1)
		if bottom < 1 || bottom > rows {
			bottom = rows
		}
		if top < bottom {
			s.setMargins(margins{top - 1, bottom - 1})
			s.moveAbs(0, 0)
		}
	case 's': // SCOSC; with parameters it would be DECSLRM
		if c.Len() == 0 {
			s.save()
		}
	case 't':
		s.titleOp(c)
	case 'u': // SCORC
		if c.Len() == 0 {
			s.restore()
		}
	}
	switch c.Final {
	case 'E', 'F':
		s.x = 0
	}
}

// edit executes what changes cells.
func (s *Screen) edit(c *seq.Params) {
	cols, rows, m := s.grid.cols, s.grid.rows, s.region()
	inRegion := s.y >= m.top && s.y <= m.bottom
	switch c.Final {
	case '@': // ICH
		s.move(s.x, s.y)
		s.grid.insertCells(s.x, s.y, count(c, 0, cols))
	case 'P': // DCH
		s.move(s.x, s.y)
		s.grid.deleteCells(s.x, s.y, count(c, 0, cols))
	case 'X': // ECH
		s.move(s.x, s.y)
		s.grid.erase(s.y, s.x, min(s.x+count(c, 0, cols), cols))
	case 'J', 'K':
		s.erase(c)
	case 'L', 'M': // IL, DL
		if !inRegion {
			return
		}
		if c.Final == 'L' {
			s.grid.scrollDown(s.y, count(c, 0, rows))
		} else {
			s.grid.scrollUp(s.y, count(c, 0, rows))
		}
		s.move(0, s.y)
	case 'S': // SU
		s.grid.scrollUp(m.top, count(c, 0, rows))
	case 'T': // SD; with more parameters it is mouse highlighting
		if c.Len() <= 1 {
			s.grid.scrollDown(m.top, count(c, 0, rows))
		}
	case 'b': // REP
		s.repeat(count(c, 0, seq.MaxParam))
	}
}

// erase executes ED and EL. Behind the last column, where a character has been
// printed and the next one will wrap, there is nothing right of the cursor.
func (s *Screen) erase(c *seq.Params) {
	g := &s.grid
	from := s.x
	if s.pending {
		from = g.cols
	}
	switch what := max(c.Arg(0), 0); {
	case what == 0 && c.Final == 'J' && s.y == 0 && from == 0:
		g.eraseRows(0, g.rows)
		s.cleared = true
	case what == 0:
		g.erase(s.y, from, g.cols)
		if from == 0 {
			g.unwrap(s.y)
		}
		if c.Final == 'J' {
			g.eraseRows(s.y+1, g.rows)
		}
	case what == 1:
		g.erase(s.y, 0, s.x+1)
		g.unwrap(s.y)
		if c.Final == 'J' {
			g.eraseRows(0, s.y)
		}
	case what == 2 && c.Final == 'K':
		g.eraseRows(s.y, s.y+1)
	case what == 2:
		g.eraseRows(0, g.rows)
		s.cleared = true
	}
	// ED 3 clears the scrollback, which there is none of.
}

// csiInter executes sequences with one intermediate byte.
func (s *Screen) csiInter(c *seq.Params) {
	m := s.region()
	each := func(do func(x, y, n int), x int) {
		if s.y < m.top || s.y > m.bottom {
			return
		}
		for y := m.top; y <= m.bottom; y++ {
			do(x, y, count(c, 0, s.grid.cols))
		}
	}
	switch string([]byte{c.Inter[0], c.Final}) {
	case "!p":
		s.softReset()
	case " @": // SL
		each(s.grid.deleteCells, 0)
	case " A": // SR
		each(s.grid.insertCells, 0)
	case "'}": // DECIC
		each(s.grid.insertCells, s.x)
	case "'~": // DECDC
		each(s.grid.deleteCells, s.x)
	}
}

// privateMode is DECSET and DECRST.
func (s *Screen) privateMode(mode int, on bool) {
	switch mode {
	case 6: // DECOM
		s.origin = on
		s.moveAbs(0, 0)
	case 7: // DECAWM
		s.noWrap = !on
	case 25: // DECTCEM
		s.hidden = !on
	case 47, 1047:
		s.setAlt(on)
	case 1048:
		if on {
			s.save()
		} else {
			s.restore()
		}
	case 1049:
		if on {
			s.save()
			s.setAlt(true)
		} else {
			s.setAlt(false)
			s.restore()
		}
	case 2026:
		if on && !s.sync {
			s.held = s.live()
		}
		s.sync = on
	}
}
