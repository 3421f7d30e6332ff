//go:build realdesktop

package desktop_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// daemon is a real notification service.
type daemon struct {
	name    string
	class   string                                  // of its windows
	windows func(bubbles int) int                   // in how many windows it shows so many
	markup  bool                                    // bodies are read as markup
	prepare func(t *testing.T, home string) command // writes its configuration
}

// command is how to start a program and what it needs on the bus.
type command struct {
	argv     []string
	env      []string
	services map[string]string // what may be started on the bus: the command by its name
}

// daemons are set up so that two notifications never touch each other.
var daemons = []daemon{
	{"dunst", "Dunst", oneWindow, true, dunst("full")},
	{"dunst without markup", "Dunst", oneWindow, false, dunst("no")},
	{"xfce4-notifyd", "xfce4-notifyd", func(n int) int { return n }, true, xfce},
}

// oneWindow is for a service that draws all bubbles into one window.
func oneWindow(bubbles int) int { return min(bubbles, 1) }

func dunst(markup string) func(t *testing.T, home string) command {
	return func(t *testing.T, home string) command {
		t.Helper()
		dunst, err := exec.LookPath("dunst") // a bus wants a whole path
		if err != nil {
			t.Fatal(err)
		}
		conf := filepath.Join(home, "dunstrc")
		write(t, conf, "[global]\nmarkup = "+markup+"\ngap_size = 10\nwidth = 400\nheight = 300\nshow_indicators = no\n", 0o600)
		return command{argv: []string{dunst, "-conf", conf}}
	}
}

func xfce(t *testing.T, home string) command {
	t.Helper()
	one := func(pattern string) string {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %q %v", pattern, list, err)
		}
		return list[0]
	}
	dir := filepath.Join(home, "xfce4/xfconf/xfce-perchannel-xml")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "xfce4-notifyd.xml"), `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-notifyd" version="1.0">
  <property name="do-fadeout" type="bool" value="false"/>
  <property name="do-slideout" type="bool" value="false"/>
</channel>`, 0o600)
	return command{
		argv:     []string{one("/usr/lib/*/xfce4/notifyd/xfce4-notifyd")},
		services: map[string]string{"org.xfce.Xfconf": one("/usr/lib/*/xfce4/xfconf/xfconfd")},
		env:      []string{"GTK_THEME=Adwaita", "NO_AT_BRIDGE=1"},
	}
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// run starts a program that ends with the test, and with it what it started;
// what they say is shown if the test fails.
func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	said, err := os.Create(filepath.Join(t.TempDir(), "said")) // a pipe would be waited for as long as anybody has it
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		group := -cmd.Process.Pid
		syscall.Kill(group, syscall.SIGTERM) // an X server takes its lock file away
		late := time.AfterFunc(5*time.Second, func() { syscall.Kill(group, syscall.SIGKILL) })
		cmd.Wait()
		late.Stop()
		said.Close()
		if b, _ := os.ReadFile(said.Name()); t.Failed() && len(b) > 0 {
			t.Logf("%s said:\n%s", cmd.Args[0], b)
		}
	})
}

// realBus starts dbus-daemon, which can start these services and no others.
func realBus(t *testing.T, env []string, services map[string]string) (addr string) {
	t.Helper()
	// Not t.TempDir: the path of a socket may not be longer than 107 bytes.
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, exec := range services {
		write(t, filepath.Join(dir, name+".service"), fmt.Sprintf("[D-BUS Service]\nName=%s\nExec=%s\n", name, exec), 0o600)
	}
	write(t, dir+"/bus.conf", `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=`+dir+`/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
<servicedir>`+dir+`</servicedir></busconfig>`, 0o600)
	cmd := exec.Command("dbus-daemon", "--config-file="+dir+"/bus.conf", "--nofork", "--nopidfile")
	cmd.Env = append(os.Environ(), env...) // that of what it starts
	run(t, cmd)
	until(t, "the bus", func() bool { _, err := os.Stat(dir + "/bus"); return err == nil })
	return "unix:path=" + dir + "/bus"
}

// desk is a screen with a notification service on a session bus of its own.
type desk struct {
	*screen
	daemon
	addr  string // of the bus
	other *dbus.Conn
}

// newDesk starts it; lazily: the service is started when it is first wanted.
func newDesk(t *testing.T, d daemon, lazily bool) desk {
	t.Helper()
	home := t.TempDir()
	c := d.prepare(t, home)
	s := startScreen(t)
	env := append(c.env, s.display, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home,
		"XDG_RUNTIME_DIR="+home, "WAYLAND_DISPLAY=", "LANG=C.UTF-8")
	services := map[string]string{}
	for k, v := range c.services {
		services[k] = v
	}
	const name = "org.freedesktop.Notifications"
	if lazily {
		services[name] = strings.Join(c.argv, " ")
	}
	k := desk{screen: s, daemon: d, addr: realBus(t, env, services)}
	if lazily {
		return k
	}
	var err error
	if k.other, err = dbus.Connect(k.addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.other.Close() })
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env = append(append(os.Environ(), env...), "DBUS_SESSION_BUS_ADDRESS="+k.addr)
	run(t, cmd)
	until(t, d.name, func() bool {
		var has bool
		err := k.other.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&has)
		return err == nil && has
	})
	return k
}

// in is the same desk in a subtest.
func (k desk) in(t *testing.T) desk {
	s := *k.screen
	s.t, k.screen = t, &s
	return k
}

// icon is the one that fwrap's notifications have, where there are icons.
const icon = "utilities-terminal"

// tell shows a notification of another program's, as it is.
func (k desk) tell(title, body string) (id uint32) {
	k.t.Helper()
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(2))}
	err := k.other.Object("org.freedesktop.Notifications", "/org/freedesktop/Notifications").
		Call("org.freedesktop.Notifications.Notify", 0, "other", uint32(0), icon, title, body, []string{}, hints, int32(0)).Store(&id)
	if err != nil {
		k.t.Fatal(err)
	}
	return id
}

// untell takes one away.
func (k desk) untell(id uint32) {
	k.t.Helper()
	err := k.other.Object("org.freedesktop.Notifications", "/org/freedesktop/Notifications").
		Call("org.freedesktop.Notifications.CloseNotification", 0, id).Err
	if err != nil {
		k.t.Fatal(err)
	}
}

// literally is a body that this service shows as s: where it reads markup, with
// every character by its number.
func (k desk) literally(s string) string {
	if !k.markup {
		return s
	}
	return numbered(s)
}

func numbered(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, "&#%d;", r)
	}
	return b.String()
}
