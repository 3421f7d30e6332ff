package cli

import "testing"

// BenchmarkStart is what a start has to read of the manifests before the
// command runs.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := newCatalog("")
		c.forCommand("claude")
	}
}

func BenchmarkStartUnknown(b *testing.B) {
	for b.Loop() {
		c := newCatalog("")
		c.forCommand("no-agent")
	}
}
