package desktop

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"fwrap/notify"
)

const (
	service = "org.freedesktop.Notifications"
	object  = dbus.ObjectPath("/org/freedesktop/Notifications")

	// Healthy services answer in 3 ms; a bus that does not answer its own
	// handshake or a service that will not even name its capabilities will
	// not show anything either.
	greeting = time.Second
)

// deliver does the request over D-Bus, and through beeep where there is no
// service to ask: kdialog may still be there. A service that was asked and did
// not answer or refused is not asked a second time by another way.
func deliver(ctx context.Context, req request, asked func(string)) reply {
	if req.Op == "probe" {
		return probe(ctx)
	}
	r, err := viaDBus(ctx, req, asked)
	if err == nil {
		return r
	}
	if req.Op == "show" && noService(err) {
		b := viaBeeep(req, asked)
		if b.Err != "" {
			b.Err = "dbus: " + err.Error() + "; " + b.Err
		}
		return b
	}
	r.Err = err.Error()
	return r
}

func viaDBus(ctx context.Context, req request, asked func(string)) (reply, error) {
	r := reply{Via: "dbus"}
	conn, err := connect(ctx, os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		return r, err
	}
	obj := conn.Object(service, object)
	// FlagNoAutoStart: a service file whose program never takes the name
	// costs a caller 25 s otherwise.
	flags := dbus.Flags(dbus.FlagNoAutoStart)
	owner := nameOwner(ctx, conn)
	up := req.Up
	if up.Owner != owner {
		up = Handle{} // it went with the service that had it
	}
	if req.Op == "close" {
		ctx, cancel := context.WithTimeout(ctx, greeting)
		defer cancel()
		if up.ID != 0 {
			err = obj.CallWithContext(ctx, service+".CloseNotification", flags, up.ID).Err
		}
		if e := (dbus.Error{}); err == nil || errors.As(err, &e) {
			r.Outcome = Closed // an error says that the service or the notice is gone
			return r, nil
		}
		return r, err
	}
	caps, err := capabilities(ctx, obj, flags)
	if noService(err) && activatable(ctx, conn) {
		// Plain dunst and mako are started by their first notice.
		flags = 0
		caps, err = capabilities(ctx, obj, flags)
		owner = nameOwner(ctx, conn)
	}
	if err != nil {
		return r, err
	}
	asked("dbus")
	var id uint32
	err = obj.CallWithContext(ctx, service+".Notify", flags, arguments(req, up.ID, caps)...).Store(&id)
	switch e := (dbus.Error{}); {
	case err == nil:
		r.Outcome, r.Handle = Shown, Handle{id, owner}
	case !errors.As(err, &e):
		r.Outcome = Unanswered
	}
	return r, err
}

// probe asks the service for its name. One that would be started by the first
// notice is not started for that.
func probe(ctx context.Context) reply {
	r := reply{Via: "dbus"}
	conn, err := connect(ctx, os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		r.Err = err.Error()
		return r
	}
	ask, cancel := context.WithTimeout(ctx, greeting)
	defer cancel()
	var name, vendor, version, spec string
	err = conn.Object(service, object).CallWithContext(ask, service+".GetServerInformation", dbus.FlagNoAutoStart).
		Store(&name, &vendor, &version, &spec)
	switch {
	case err == nil:
		r.Outcome, r.Server = Shown, strings.TrimSpace(name+" "+version)
	case noService(err) && activatable(ctx, conn):
		r.Outcome, r.Server = Shown, "started by the first notification"
	case noService(err):
		r.Err = "nobody on the session bus shows notifications (no " + service + ")"
	case errors.Is(err, context.DeadlineExceeded):
		r.Err = "the notification service does not answer"
	default:
		r.Err = err.Error()
	}
	return r
}

// nameOwner returns the connection that is the service now; empty: none is, or
// the bus does not say.
func nameOwner(ctx context.Context, conn *dbus.Conn) string {
	ctx, cancel := context.WithTimeout(ctx, greeting)
	defer cancel()
	var owner string
	if conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, service).Store(&owner) != nil {
		return ""
	}
	return owner
}

// plain makes text safe for the programs that beeep falls back to. notify-send
// takes an argument that begins with a dash for an option ("-w" blocks, "--help"
// succeeds and shows nothing); agents print lists with dashes. What reads
// markup there cannot be known, so nothing may look like it.
func plain(s string) string {
	s = strings.NewReplacer("<", "‹", ">", "›").Replace(s)
	if strings.HasPrefix(s, "-") {
		s = " " + s
	}
	return s
}

// connect dials, authenticates and says hello, none of which has a deadline of
// its own.
func connect(ctx context.Context, addr string) (*dbus.Conn, error) {
	type result struct {
		conn *dbus.Conn
		err  error
	}
	ch := make(chan result, 1)
	go func() {
		conn, err := dbus.Connect(addr)
		ch <- result{conn, err}
	}()
	select {
	case r := <-ch:
		return r.conn, r.err
	case <-time.After(greeting):
		return nil, errors.New("the session bus does not answer")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func capabilities(ctx context.Context, obj dbus.BusObject, flags dbus.Flags) ([]string, error) {
	if flags&dbus.FlagNoAutoStart != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, greeting)
		defer cancel()
	}
	var caps []string
	err := obj.CallWithContext(ctx, service+".GetCapabilities", flags).Store(&caps)
	return caps, err
}

func activatable(ctx context.Context, conn *dbus.Conn) bool {
	ctx, cancel := context.WithTimeout(ctx, greeting)
	defer cancel()
	var names []string
	err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&names)
	return err == nil && slices.Contains(names, service)
}

// noService reports whether the bus says that nobody has the service's name.
func noService(err error) bool {
	var e dbus.Error
	return errors.As(err, &e) && (e.Name == "org.freedesktop.DBus.Error.ServiceUnknown" ||
		e.Name == "org.freedesktop.DBus.Error.NameHasNoOwner")
}

// arguments are those of Notify in the Desktop Notifications Specification 1.2.
func arguments(req request, replaces uint32, caps []string) []any {
	n := req.Notice
	body := n.Body
	if slices.Contains(caps, "body-markup") {
		// Only there: elsewhere the person would read "&lt;". The summary is
		// never markup, and quotes need no escape outside an attribute: not
		// every service knows more entities than these three.
		body = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body)
	}
	hints := map[string]dbus.Variant{
		"urgency":       dbus.MakeVariant(byte(n.Urgency)),
		"desktop-entry": dbus.MakeVariant(appName),
	}
	if req.Tag != "" {
		// dunst and others replace by tag, even if the number is not known.
		hints["x-dunst-stack-tag"] = dbus.MakeVariant(req.Tag)
	}
	expire := int32(-1) // as the desktop is used to
	if n.Urgency == notify.Critical {
		expire = 0 // until it is closed
	}
	return []any{appName, replaces, appIcon, n.Title, body, []string{}, hints, expire}
}
