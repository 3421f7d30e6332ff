// Package jsonscan picks fields out of JSON that may be of any size.
//
// Agents put whole files and command outputs into their messages: a hook's
// payload of several megabytes is common, an ACP line of more is legal. What
// is wanted of them is a dozen short fields. A Scanner takes the text in
// pieces, as it comes off a pipe, checks its syntax and hands on each value
// with its path. It keeps the beginning of one string at a time and nothing
// else, so its memory is bounded whatever comes.
//
// It must not know what the fields mean.
package jsonscan
