// Package screen turns a program's output into a [detect.Snapshot].
//
// It is hinshun/vt10x behind a front-end that lets through only what vt10x
// draws rightly, and does the rest itself. It never answers a query: the
// person's terminal does. It must not know rules or agents.
package screen
