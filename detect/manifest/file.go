package manifest

// file is a manifest as it is written.
type file struct {
	Schema        int            `toml:"schema"`
	Version       string         `toml:"version"`
	Agent         string         `toml:"agent"`
	Commands      []string       `toml:"commands"`
	CheckedWith   []string       `toml:"checked_with"`
	ProgramStatus bool           `toml:"program_status"`
	Extends       string         `toml:"extends"`
	Disable       []string       `toml:"disable"`
	ACP           acpTable       `toml:"acp"`
	SelfReport    map[string]any `toml:"self_report"`
	Screen        screenTable    `toml:"screen"`
	Boxes         []boxTable     `toml:"boxes"`
	Rules         []ruleTable    `toml:"rules"`
}

type acpTable struct {
	Commands []string `toml:"commands"`
}

type screenTable struct {
	Separators []string `toml:"separators"`
	Inside     []string `toml:"inside"`
	Items      []string `toml:"items"`
	Trailing   []string `toml:"trailing"`
}

type boxTable struct {
	Top    string `toml:"top"`
	Prompt string `toml:"prompt"`
	Bottom string `toml:"bottom"`
	Not    string `toml:"not"`
	// Of the rows below the box; see detect.Box.
	Leftover string `toml:"leftover"`
}

type condTable struct {
	Region string   `toml:"region"`
	Any    []string `toml:"any"`
	All    []string `toml:"all"`
	Not    []string `toml:"not"`
}

type ruleTable struct {
	ID       string         `toml:"id"`
	State    string         `toml:"state"`
	Kind     string         `toml:"kind"`
	Region   string         `toml:"region"`
	Any      []string       `toml:"any"`
	All      []string       `toml:"all"`
	Not      []string       `toml:"not"`
	Box      *bool          `toml:"box"`
	Alt      *bool          `toml:"alt"`
	Also     []condTable    `toml:"also"`
	Question *questionTable `toml:"question"`
	Examples []exampleTable `toml:"examples"`
}

type questionTable struct {
	Region  string   `toml:"region"`
	Text    []string `toml:"text"`
	Options []string `toml:"options"`
	Except  []string `toml:"except"`
}

type exampleTable struct {
	Match    *bool    `toml:"match"`
	Screen   string   `toml:"screen"`
	Size     string   `toml:"size"`
	Title    string   `toml:"title"`
	Progress string   `toml:"progress"`
	Alt      bool     `toml:"alt"`
	Question string   `toml:"question"`
	Options  []string `toml:"options"`
	Note     string   `toml:"note"`
	Origin   string   `toml:"origin"`
}
