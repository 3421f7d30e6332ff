// Package manifest reads an agent's rules from TOML and compiles them to
// [detect.Rules]. It is the only room that knows the file format.
package manifest
