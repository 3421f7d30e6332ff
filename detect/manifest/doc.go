// Package manifest reads an agent's rules from TOML and compiles them to
// [detect.Rules]. It is the only room that knows the file format.
//
// A manifest is data: no command, path or address in it is ever run, opened or
// fetched because of it. Reading is strict. A key, name, state, kind, region or
// pattern that is not known is refused with its file, line and column, because
// a rule that silently does nothing is a prompt that nobody is told about.
package manifest
