package mockapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// message is one message of the conversation, as the client sent it.
type message struct {
	Role  string
	Texts []string // of its text blocks
}

// call is what of a request to /v1/messages matters here.
type call struct {
	Model    string
	Stream   bool
	Tools    []string
	System   string
	Messages []message
	// Structured says that an answer by a JSON schema is asked for, which
	// the conversation itself never does.
	Structured bool
	raw        []byte
}

func parseCall(raw []byte) (call, error) {
	var in struct {
		Model  string
		Stream bool
		System json.RawMessage
		Tools  []struct{ Name string }

		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		OutputConfig struct{ Format json.RawMessage } `json:"output_config"`
		OutputFormat json.RawMessage                  `json:"output_format"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return call{}, err
	}
	c := call{
		Model: in.Model, Stream: in.Stream, raw: raw,
		System:     strings.Join(texts(in.System), "\n"),
		Structured: present(in.OutputConfig.Format) || present(in.OutputFormat),
	}
	for _, t := range in.Tools {
		c.Tools = append(c.Tools, t.Name)
	}
	for _, m := range in.Messages {
		c.Messages = append(c.Messages, message{Role: m.Role, Texts: texts(m.Content)})
	}
	return c, nil
}

func present(v json.RawMessage) bool {
	return len(v) > 0 && !bytes.Equal(v, []byte("null"))
}

// texts returns the texts of a content that is a string or a list of blocks.
func texts(v json.RawMessage) []string {
	var s string
	if json.Unmarshal(v, &s) == nil && s != "" {
		return []string{s}
	}
	var list []struct{ Type, Text string }
	if json.Unmarshal(v, &list) != nil {
		return nil
	}
	var out []string
	for _, b := range list {
		if b.Type == "text" {
			out = append(out, b.Text)
		}
	}
	return out
}

// last returns the text of the newest message.
func (c call) last() string {
	if len(c.Messages) == 0 {
		return ""
	}
	return strings.Join(c.Messages[len(c.Messages)-1].Texts, "\n")
}

var scenarioWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`SCN:(\w+)`) })

// locate finds the scenario: the last SCN: word of the newest user message
// that has one, and the number of assistant turns since. A conversation
// without the word is the scenario "plain".
func (c call) locate() (name string, step int) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := c.Messages[i]
		if m.Role == "assistant" {
			step++
			continue
		}
		for k := len(m.Texts) - 1; k >= 0; k-- {
			if found := scenarioWord().FindAllStringSubmatch(m.Texts[k], -1); found != nil {
				return found[len(found)-1][1], step
			}
		}
	}
	return "plain", 0
}

// kind tells a turn of the conversation from the client's side calls.
type kind string

const (
	turn    kind = "turn"
	compact kind = "compact" // the summary that /compact asks for
	title   kind = "title"   // a name for the session
	fetch   kind = "fetch"   // what WebFetch asks about the page it got
	side    kind = "side"    // any other call without tools
)

func (c call) kind() kind {
	last := c.last()
	switch {
	case strings.Contains(last, "Your task is to create a detailed summary"),
		strings.Contains(last, "CRITICAL: Respond with TEXT ONLY"):
		return compact
	case len(c.Tools) > 0 && !c.Structured:
		return turn
	case strings.Contains(strings.ToLower(last), "web page content"):
		return fetch
	case strings.Contains(strings.ToLower(c.System+last), "title"):
		return title
	}
	return side
}

var (
	workingDir = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:Primary working directory|Working directory|cwd): ?([^\s\\"<]+)`)
	})
	planPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("/[^\\s\"'\\\\`]*/plans/[\\w.-]+?\\.md")
	})
)

// dir returns the working directory that the client told the model.
func (c call) dir() string {
	if m := workingDir().FindSubmatch([]byte(c.System)); m != nil {
		return string(m[1])
	}
	if m := workingDir().FindSubmatch(c.raw); m != nil {
		return string(m[1])
	}
	return ""
}

// planFile returns the file into which the client told the model to write
// its plan; empty outside plan mode and in versions without plan files.
func (c call) planFile() string { return string(planPath().Find(c.raw)) }
