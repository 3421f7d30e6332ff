// Package capture turns a recording of an agent into captures, the form in which
// testdata/captures keeps screens with their truth: for each labelled moment the
// bytes up to it and the screen as xterm.js draws it, and a row in truth.tsv.
//
// The moments are the recording's markers, "LABEL: STATE KIND NOTE", of which
// KIND and NOTE may be left out and KIND is "-" before a NOTE without one.
package capture
