package screen

// span is a range of characters that take no cell or two.
type span struct {
	first, last rune
	width       int8
}

// runeWidth returns how many cells a terminal gives to r, 0, 1 or 2, as
// go-runewidth says for locales that are not East Asian, with the differences
// that its test lists. (In an East Asian locale go-runewidth makes the lines
// of boxes two cells wide, which no terminal does unless told to.)
//
// The table is here because go-runewidth's own, built at the first look into
// it, takes 2 MB.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		if r >= 0x7f && r < 0xa0 {
			return 0 // C1 controls
		}
		return 1
	case r >= 0x2500 && r < 0x25fd || r >= 0x2800 && r < 0x2900: // boxes, braille spinners
		return 1
	}
	lo, hi := 0, len(widths)
	for lo < hi {
		if mid := (lo + hi) / 2; widths[mid].last < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(widths) && widths[lo].first <= r {
		return int(widths[lo].width)
	}
	return 1
}
