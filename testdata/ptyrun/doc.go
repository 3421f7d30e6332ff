// Package ptyrun runs a program on a pseudo-terminal for a test: it keeps what
// the program wrote and when, draws it on an emulated screen, answers the
// program's queries as a terminal would, types, and waits for the screen to
// satisfy a condition. A wait that runs out fails the test and prints the
// screen.
package ptyrun
