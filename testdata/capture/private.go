package capture

import "os"

// Private lists what a recording made on this machine may hold by accident.
func Private() []string {
	var list []string
	if home, err := os.UserHomeDir(); err == nil && len(home) > 5 { // "/root" is anybody's
		list = append(list, home)
	}
	if host, err := os.Hostname(); err == nil && len(host) > 3 && host != "localhost" {
		list = append(list, host)
	}
	return list
}
