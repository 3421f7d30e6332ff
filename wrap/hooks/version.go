package hooks

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ParseVersion finds the first version in a text such as "2.1.332 (Claude
// Code)" or "codex-cli 0.171.0": two or more numbers with dots, and what is
// joined to them by a dash. It returns "" if there is none.
func ParseVersion(text string) string {
	for i := 0; i < len(text); i++ {
		if !digit(text[i]) || i > 0 && (digit(text[i-1]) || text[i-1] == '.') {
			continue
		}
		end, dots := i, 0
		for end < len(text) && (digit(text[end]) || text[end] == '.' && end+1 < len(text) && digit(text[end+1])) {
			if text[end] == '.' {
				dots++
			}
			end++
		}
		if dots == 0 || end-i > 64 {
			i = end
			continue
		}
		if end+1 < len(text) && text[end] == '-' && word(text[end+1]) {
			for end++; end < len(text) && (word(text[end]) || text[end] == '.'); end++ {
			}
		}
		return strings.TrimRight(text[i:end], ".")
	}
	return ""
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func word(c byte) bool { return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Less reports whether version a is older than b. A pre-release is older than
// its release.
func Less(a, b string) bool {
	a, preA, isPreA := strings.Cut(a, "-")
	b, preB, isPreB := strings.Cut(b, "-")
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if x, y := number(as, i), number(bs, i); x != y {
			return x < y
		}
	}
	if isPreA && isPreB {
		return preA < preB
	}
	return isPreA && !isPreB
}

func number(parts []string, i int) uint64 {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.ParseUint(parts[i], 10, 64)
	return n
}

// Version returns the version of the program at path, without running it: by
// the path ("…/claude/versions/2.1.332", "Caskroom/claude-code/2.1.332/claude")
// or by the package.json of the npm package that installs it. It returns "" if
// neither says so.
func Version(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if v := packageVersion(real); v != "" {
		return v
	}
	base := filepath.Base(real)
	if ParseVersion(base) == base {
		return base
	}
	// Of a directory only where it is a rule of the installer, for there are
	// others with versions in them: ".nvm/versions/node/v22.1.0/bin".
	if dir := filepath.Dir(real); filepath.Base(filepath.Dir(filepath.Dir(dir))) == "Caskroom" {
		if v := filepath.Base(dir); ParseVersion(v) == v {
			return v
		}
	}
	return ""
}

// packageVersion reads the version of the npm package that has file as a
// command.
func packageVersion(file string) string {
	if !strings.Contains(file, "/node_modules/") {
		return ""
	}
	dir := filepath.Dir(file)
	for i := 0; i < 6 && filepath.Base(dir) != "node_modules" && len(dir) > 1; i++ {
		var m struct {
			Version string          `json:"version"`
			Bin     json.RawMessage `json:"bin"`
		}
		b, err := readLimited(filepath.Join(dir, "package.json"))
		if err == nil && json.Unmarshal(b, &m) == nil && len(m.Bin) > 0 && ParseVersion(m.Version) == m.Version {
			return m.Version
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// readLimited reads at most 1 MiB of a file.
func readLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}
