// Package config reads fwrap's configuration: strict TOML, XDG paths, and for
// every value where it came from. It must not know what the values are used for.
package config
