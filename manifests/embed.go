// Package manifests holds the built-in rules, one TOML file for each agent.
package manifests

import "embed"

// FS holds the files NAME.toml of all built-in manifests.
//
//go:embed *.toml
var FS embed.FS
