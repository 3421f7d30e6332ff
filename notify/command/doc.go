// Package command runs a program of the person's own on what they are told: the
// way to a phone, a chat or a speaker without any network code in fwrap.
//
// The program is an argument vector that no shell reads. It learns what has
// happened from FWRAP_* variables and from a JSON object on its standard input,
// so that a word of an agent's can never become a part of a command. What it
// prints goes to the log.
package command
