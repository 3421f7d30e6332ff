package config

import (
	"fmt"

	"github.com/BurntSushi/toml"
)

// TopStrings reads an array of strings at the top of another program's TOML
// file, without looking at the rest. It returns nil if the key is not there, and
// an error if data is no TOML or the value no such array.
func TopStrings(data []byte, key string) ([]string, error) {
	var top map[string]toml.Primitive
	md, err := toml.Decode(string(data), &top)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	p, ok := top[key]
	if !ok {
		return nil, nil
	}
	var list []string
	if err := md.PrimitiveDecode(p, &list); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return list, nil
}
