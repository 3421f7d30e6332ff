// Package realterminal tries fwrap in real terminal emulators on a virtual X
// server (kitty, xterm, and foot by way of a Wayland compositor), and in tmux and
// GNU screen in them. What is asserted is what the person would see or hear:
// what arrives at the desktop's notification service, a window's title, its
// urgency hint.
//
// The tests have the build tag realterminal, for they need these programs:
//
//	Xvfb xdotool xprop kitty xterm tmux screen weston foot
//
// .ci/run terminals installs them on Debian and runs the tests.
package realterminal
