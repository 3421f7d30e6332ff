// Package update fetches newer rules, on the person's word alone: an archive of
// manifests that its maker has signed, from an address that the person has
// configured. Nothing is installed that has not been checked whole, and what was
// there before is kept.
//
// # What the server has
//
// At the address itself a gzipped tar (ustar or pax) with one regular file
// AGENT.toml for each agent and nothing else, at most [MaxArchive] bytes; at the
// address with ".sig" after its path the archive's Ed25519 signature (RFC 8032,
// over the archive's bytes), 64 bytes as they are. A manifest in it has a schema
// that this fwrap reads, an agent that is its file's name, a version, and for
// every rule an example that it wins and one that it must not. An ETag makes the
// next request conditional.
//
//	openssl genpkey -algorithm ed25519 -out key.pem
//	openssl pkey -in key.pem -pubout -outform DER | tail -c 32 | base64   # the public key
//	tar -czf manifests.tar.gz --format=ustar -C manifests $(cd manifests && ls *.toml)
//	openssl pkeyutl -sign -rawin -inkey key.pem -in manifests.tar.gz -out manifests.tar.gz.sig
//
// # What is on the disk
//
// A set of manifests is a directory below sets/ that never changes. "current"
// and "previous" are symbolic links to two of them, and are replaced by rename:
// whoever reads sees one set or the other.
package update
