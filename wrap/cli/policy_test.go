package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rooms is the import policy: which room may look into which, and where the
// foreign libraries live. It is a statement of design. If a change needs an
// edge that is not here, it belongs into another room; do not add the edge to
// make the build pass.
var rooms = map[string]struct{ own, foreign string }{
	"fwrap":                 {own: "wrap/cli"},
	"fwrap/wrap":            {own: "wrap/seq wrap/monitor", foreign: "github.com/creack/pty golang.org/x/term golang.org/x/sys/unix"},
	"fwrap/wrap/seq":        {},
	"fwrap/wrap/monitor":    {foreign: "golang.org/x/sys/unix"},
	"fwrap/wrap/process":    {foreign: "golang.org/x/sys/unix"},
	"fwrap/wrap/session":    {foreign: "golang.org/x/sys/unix"},
	"fwrap/wrap/hooks":      {foreign: "golang.org/x/sys/unix"},
	"fwrap/wrap/update":     {own: "detect/manifest"},
	"fwrap/wrap/config":     {foreign: "github.com/BurntSushi/toml"},
	"fwrap/wrap/cli":        {own: "*", foreign: "golang.org/x/sys/unix"},
	"fwrap/detect":          {},
	"fwrap/detect/screen":   {own: "detect wrap/seq", foreign: "github.com/hinshun/vt10x github.com/mattn/go-runewidth"},
	"fwrap/detect/manifest": {own: "detect", foreign: "github.com/BurntSushi/toml"},
	"fwrap/detect/jsonscan": {},
	"fwrap/detect/report":   {own: "detect detect/jsonscan"},
	"fwrap/detect/acp":      {own: "detect detect/jsonscan"},
	"fwrap/detect/cast":     {},
	"fwrap/notify":          {own: "detect"},
	"fwrap/notify/desktop":  {own: "notify", foreign: "github.com/gen2brain/beeep github.com/godbus/dbus/v5 golang.org/x/sys/unix"},
	"fwrap/notify/term":     {own: "notify detect"},
	"fwrap/notify/tab":      {own: "detect"},
	"fwrap/notify/command":  {own: "notify detect"},
	"fwrap/manifests":       {},
}

func TestImportPolicy(t *testing.T) {
	for _, goos := range []string{"linux", "darwin"} {
		cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Standard", "fwrap/...")
		cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		dec := json.NewDecoder(strings.NewReader(string(out)))
		n := 0
		for {
			var p struct {
				ImportPath string
				Imports    []string
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			n++
			room, ok := rooms[p.ImportPath]
			if !ok {
				t.Errorf("%s: package %s is in no room of the policy", goos, p.ImportPath)
				continue
			}
			for _, imp := range p.Imports {
				own, isOwn := strings.CutPrefix(imp, "fwrap/")
				switch {
				case isOwn:
					if room.own != "*" && !slices.Contains(strings.Fields(room.own), own) {
						t.Errorf("%s: %s may not import %s", goos, p.ImportPath, imp)
					}
				case strings.Contains(strings.SplitN(imp, "/", 2)[0], "."):
					if !slices.Contains(strings.Fields(room.foreign), imp) {
						t.Errorf("%s: %s may not import %s", goos, p.ImportPath, imp)
					}
				}
			}
		}
		if n < 10 {
			t.Errorf("%s: go list found %d packages", goos, n)
		}
	}
}

// programs are names that POSIX, coreutils or procps give to programs and that
// are not shell builtins: no verb may take one away.
const programs = `
[ arch ar asa at awk b2sum base32 base64 basename basenc batch bc cal cat chcon
chgrp chmod chown chroot cksum cmp comm compress cp crontab csplit ctags cut
cxref dat date dd delta df diff dir dircolors dirname du ed env ex expand expr
factor file find fmt fold free fuser gencat getconf grep groups head hostid
hostname iconv id install ipcrm ipcs join kill lex link ln locale localedef
logger logname lp ls m4 mailx make man md5sum mesg mkdir mkfifo mknod mktemp more
mv newgrp nice nl nm nohup nproc numfmt od paste patch pathchk pax pgrep pidof
pidwait pinky pkill pmap pr printenv printf ps ptx pwd pwdx qalter readlink
realpath renice rm rmdir runcon sact sccs sed seq sha1sum sha224sum sha256sum
sha384sum sha512sum shred shuf skill slabtop sleep snice sort split stat stdbuf
strings strip stty sum sync sysctl tac tail talk tee test timeout tload top touch
tr true truncate tsort tty uname unexpand uniq unlink uptime users uucp uudecode
uuencode vdir vi vmstat w watch wc who whoami write xargs yacc yes zcat`

func TestVerbsTakeNoProgramsName(t *testing.T) {
	taken := map[string]string{}
	for _, p := range strings.Fields(programs) {
		taken[p] = "a standard program"
	}
	c := newCatalog("")
	for _, agent := range c.names() {
		h, ok := c.head(agent)
		if !ok {
			t.Errorf("the head of %s.toml cannot be read", agent)
		}
		for _, cmd := range append(h.Commands, h.ACP...) {
			taken[cmd] = "a command of " + agent + ".toml"
		}
	}
	for _, v := range verbs {
		if what, ok := taken[v]; ok {
			t.Errorf("the verb %s is %s", v, what)
		}
	}
}
