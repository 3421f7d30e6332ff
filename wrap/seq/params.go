package seq

// MaxParams is how many parameters of a CSI [ParseCSI] keeps; xterm.js keeps as
// many. What follows is left out.
const MaxParams = 32

// MaxParam is the greatest value of a parameter; greater ones become it, as in
// xterm.js.
const MaxParam = 1<<31 - 1

// Params is a CSI taken apart.
type Params struct {
	Prefix byte   // '<', '=', '>' or '?', 0 if there is none
	Inter  []byte // intermediates (0x20-0x2F); aliases the body
	Final  byte   // 0x40-0x7E
	// Colon: some parameter has subparameters (SGR 38:2::r:g:b). Of those only
	// the first value is kept.
	Colon bool

	n    int
	args [MaxParams]int32
}

// Len returns how many parameters there are: 0 in "m", 1 in "5m", 2 in ";m".
func (c *Params) Len() int { return c.n }

// Arg returns parameter i, counted from 0, or -1 if it is empty or missing.
func (c *Params) Arg(i int) int {
	if i < 0 || i >= c.n {
		return -1
	}
	return int(c.args[i])
}

// ParseCSI takes the Body of a CSI token apart. It is not ok if the body is no
// CSI's: bytes out of order, a second private prefix, or no final byte.
func ParseCSI(body []byte) (c Params, ok bool) {
	if len(body) == 0 {
		return c, false
	}
	last := len(body) - 1
	if c.Final = body[last]; c.Final < 0x40 || c.Final > 0x7e {
		return c, false
	}
	i := 0
	if b := body[0]; b >= '<' && b <= '?' {
		c.Prefix = b
		i++
	}
	first := i
	for i < last && body[i] >= 0x30 && body[i] <= 0x3f {
		i++
	}
	if !c.parse(body[first:i]) {
		return c, false
	}
	c.Inter = body[i:last]
	for _, b := range c.Inter {
		if b < 0x20 || b > 0x2f {
			return c, false
		}
	}
	return c, true
}

func (c *Params) parse(p []byte) bool {
	if len(p) == 0 {
		return true
	}
	c.n = 1
	c.args[0] = -1
	inSub := false
	for _, b := range p {
		switch {
		case b == ';':
			inSub = false
			if c.n <= MaxParams {
				c.n++
			}
			if c.n <= MaxParams {
				c.args[c.n-1] = -1
			}
		case b == ':':
			c.Colon, inSub = true, true
		case b > '9':
			return false
		case !inSub && c.n <= MaxParams:
			v := int64(max(c.args[c.n-1], 0))*10 + int64(b-'0')
			c.args[c.n-1] = int32(min(v, MaxParam))
		}
	}
	c.n = min(c.n, MaxParams)
	return true
}

// OSCNumber splits the Body of an OSC token: "9;4;3" is 9 and "4;3", "104" is
// 104 and nothing. It is not ok if the body does not begin with a number of at
// most nine digits, alone or followed by a semicolon.
func OSCNumber(body []byte) (num int, data []byte, ok bool) {
	i := 0
	for i < len(body) && body[i] >= '0' && body[i] <= '9' {
		if i == 9 {
			return 0, nil, false
		}
		num = num*10 + int(body[i]-'0')
		i++
	}
	switch {
	case i == 0:
		return 0, nil, false
	case i == len(body):
		return num, nil, true
	case body[i] != ';':
		return 0, nil, false
	}
	return num, body[i+1:], true
}
