package report

import (
	"slices"
	"strings"

	"fwrap/detect"
)

// dialog is a permission or question that is up.
type dialog struct {
	key   string // of the tool call, or the subagent's id
	id    string // tool_use_id, if it is known
	words detect.Report
}

// permission is what a PermissionRequest asks.
func permission(e *Event) detect.Report {
	r := detect.Report{State: detect.Blocked, Kind: detect.Permission}
	if e.Tool == "ExitPlanMode" {
		r.Kind, r.Question.Text = detect.Plan, "approve plan"
		return r
	}
	r.Question.Text = detect.OneLine(e.Tool, maxName)
	if server, tool, ok := strings.Cut(strings.TrimPrefix(e.Tool, "mcp__"), "__"); ok && strings.HasPrefix(e.Tool, "mcp__") {
		r.Question.Text = detect.OneLine(server+" - "+tool+" (MCP)", maxName)
	}
	if e.Text != "" {
		r.Question.Text = detect.OneLine(r.Question.Text+": "+e.Text, detect.MaxText)
	}
	return r
}

func question(e *Event) detect.Report {
	return detect.Report{State: detect.Blocked, Kind: detect.Ask, Question: detect.Question{Text: e.Text, Options: e.Options}}
}

// undialog removes the first dialog of that key or id.
func undialog(list []dialog, key, id string) []dialog {
	i := slices.IndexFunc(list, func(d dialog) bool { return d.key == key || id != "" && d.id == id })
	if i < 0 {
		return list
	}
	return slices.Delete(list, i, i+1)
}

func without(list []string, s string) []string {
	return slices.DeleteFunc(list, func(v string) bool { return v == s })
}
