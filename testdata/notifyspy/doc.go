// Package notifyspy is a session bus and a desktop notification service in one,
// for tests: it shows nothing, records every call, and can misbehave in the
// ways that real ones were seen to.
//
// It speaks the D-Bus wire protocol itself, so that tests need no dbus-daemon,
// and nothing on the machine can be activated behind their backs. The command
// in cmd serves it to other programs.
package notifyspy
