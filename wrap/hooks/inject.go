package hooks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Launch is a command that is about to be started.
type Launch struct {
	// Args are its arguments, without its own name.
	Args []string
	// Getenv reads the environment that it will have; an unset variable is "".
	Getenv func(string) string
	// ReadFile reads a file as the command would, a relative path from the
	// command's directory. It should refuse files of more than a few megabytes.
	ReadFile func(path string) ([]byte, error)
	// Self is fwrap's own absolute path, which hooks will run.
	Self string
	// Version is the agent's version, empty if it is not known.
	Version string
	// Dir is the directory in which the files of the injection will be written
	// before the start: private to the user, and kept until the agent has
	// ended. With an empty Dir an injection that needs a file is refused.
	Dir string
	// UserNotify is the notify program that the person has configured for the
	// agent (codex's config.toml), which is to be run after ours; nil if there
	// is none. It is asked only by [Notify], and an error refuses the injection.
	UserNotify func() ([]string, error)
}

// Injection is what makes the agent report.
type Injection struct {
	// Args replace the command's arguments.
	Args []string
	// Env are variables to add, NAME=VALUE, in the place of those of the name.
	Env []string
	// Files are to be written, mode 0600, below Launch.Dir.
	Files []File
}

// File is a file of an injection.
type File struct {
	Name    string // relative to Launch.Dir
	Content []byte
}

// Inject returns what to change so that the agent reports to the socket that
// FWRAP_SOCK names, which the caller sets. If nothing is to be changed why says
// the reason, for a log, and the Injection has the arguments as they were.
//
// The arguments that are added stand first, before any "--" and any flag that
// takes the rest of the line.
func Inject(s Spec, l Launch) (inj Injection, why string) {
	untouched := Injection{Args: l.Args}
	if l.Self == "" || !filepath.IsAbs(l.Self) {
		return untouched, "fwrap's own path is not known"
	}
	own := s.Flag
	valued := s.Valued
	if s.Method == Settings || s.Method == NotifyFlag {
		valued = append(slices.Clip(valued), own)
	}
	as := scan(l.Args, valued, s.Variadic)
	if why := s.refuses(as, l); why != "" {
		return untouched, why
	}
	j := injector{s, l, as}
	var err error
	switch s.Method {
	case Settings:
		inj, err = j.settings()
	case SettingsVariable:
		inj, err = j.settingsVariable()
	case PluginDir:
		inj, err = j.pluginDir()
	case ConfigPlugin:
		inj, err = j.configPlugin()
	case Notify:
		inj, err = j.notify()
	case NotifyFlag:
		inj, err = j.notifyFlag()
	default:
		err = fmt.Errorf("no way is known to make this agent report")
	}
	if err != nil {
		return untouched, err.Error()
	}
	return inj, ""
}

type injector struct {
	Spec
	Launch
	as []arg
}

// refuses says why nothing is injected into this command line, if so.
func (s Spec) refuses(as []arg, l Launch) string {
	if c := command(as); c != "" && slices.Contains(s.Skip, c) {
		return fmt.Sprintf("%q takes no hooks", c)
	}
	if f := findFlag(as, s.SkipFlags...); f != nil {
		return fmt.Sprintf("%s takes no hooks", f.flag)
	}
	if f := findFlag(as, s.OtherFlags...); f != nil {
		return fmt.Sprintf("%s is the person's own", f.flag)
	}
	for _, need := range s.NeedFlags {
		if findFlag(as, need) == nil {
			return fmt.Sprintf("it would need %s", need)
		}
	}
	for _, v := range s.SkipEnv {
		if on := l.Getenv(v); on != "" && on != "0" && on != "false" {
			return fmt.Sprintf("%s switches hooks off", v)
		}
	}
	for _, v := range s.OtherEnv {
		if l.Getenv(v) != "" {
			return fmt.Sprintf("%s is the person's own", v)
		}
	}
	return ""
}

// reporter is the shell command that every hook runs.
func (j injector) reporter(words string) string {
	return Quote(filepath.Clean(j.Self)) + " report --from " + j.Agent + words + " >/dev/null 2>&1 || true"
}

// Quote quotes s for a POSIX shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// prepend puts arguments before the command's own.
func prepend(args []string, first ...string) []string {
	return append(slices.Clone(first), args...)
}

// file names a file of the injection, or refuses.
func (j injector) file(name string) (string, error) {
	if j.Dir == "" {
		return "", fmt.Errorf("no directory for the session's files")
	}
	return filepath.Join(j.Dir, name), nil
}
