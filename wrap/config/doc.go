// Package config reads fwrap's configuration: strict TOML, XDG paths, and for
// every value where it came from. It must not know what the values are used for.
//
// The environment comes in as a value. What is read from files is the config
// itself and, for [Project], whether a directory has a .git.
package config
