package manifest

import (
	"bytes"
	"fmt"

	"github.com/BurntSushi/toml"
)

// MaxSize is the largest manifest that is read, in bytes. The largest built-in
// one has a twentieth of it.
const MaxSize = 1 << 20

// Head is what stands in a manifest before its rules: enough to know whose
// screen a command draws, at a cost that the start of a command may bear.
type Head struct {
	Agent         string
	Version       string
	Commands      []string // base names of the agent's programs
	ACP           []string // base names of the agent's ACP adapters
	ProgramStatus bool     // answering the agent's OSC 7501 query makes it report
}

// ReadHead reads the keys before the first array of tables ("[[rules]]") and
// nothing after it. name is the file's name, for messages.
func ReadHead(name string, data []byte) (Head, error) {
	if end := arrayOfTables(data); end >= 0 {
		data = data[:end]
	}
	var f struct {
		Agent         string   `toml:"agent"`
		Version       string   `toml:"version"`
		Commands      []string `toml:"commands"`
		ProgramStatus bool     `toml:"program_status"`
		ACP           struct {
			Commands []string `toml:"commands"`
		} `toml:"acp"`
	}
	if err := toml.Unmarshal(data, &f); err != nil {
		return Head{}, fmt.Errorf("read %s: %w", name, err)
	}
	return Head{
		Agent: f.Agent, Version: f.Version, Commands: f.Commands,
		ACP: f.ACP.Commands, ProgramStatus: f.ProgramStatus,
	}, nil
}

// arrayOfTables returns where the first line that begins with "[[" starts, or -1.
func arrayOfTables(data []byte) int {
	if bytes.HasPrefix(data, []byte("[[")) {
		return 0
	}
	i := bytes.Index(data, []byte("\n[["))
	if i < 0 {
		return -1
	}
	return i + 1
}
