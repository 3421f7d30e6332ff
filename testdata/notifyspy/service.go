package notifyspy

import (
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"
)

// Owner is the service's unique name on the bus.
const Owner = ":1.0"

// call does one method call, to the bus itself or to the service.
func (p *peer) call(m *dbus.Message) {
	if dest := text(m, dbus.FieldDestination); dest != "" && dest != daemon {
		p.toService(m, dest)
		return
	}
	present := p.bus.present()
	switch text(m, dbus.FieldMember) {
	case "Hello":
		p.reply(m, fmt.Sprintf(":1.%d", p.id))
	case "AddMatch", "RemoveMatch":
		p.reply(m)
	case "NameHasOwner":
		p.reply(m, present)
	case "GetNameOwner":
		if present {
			p.reply(m, Owner)
		} else {
			p.fail(m, daemon+".Error.NameHasNoOwner", "nobody has that name")
		}
	case "ListActivatableNames":
		names := []string{daemon}
		if p.bus.opts.Mode == Lazy || p.bus.opts.Mode == Trap {
			names = append(names, service)
		}
		p.reply(m, names)
	case "StartServiceByName":
		if present {
			p.reply(m, uint32(2))
		} else {
			p.fail(m, daemon+".Error.ServiceUnknown", "no such service")
		}
	default:
		p.fail(m, daemon+".Error.UnknownMethod", "not on this bus")
	}
}

// present reports whether somebody has the service's name.
func (b *Bus) present() bool {
	switch b.opts.Mode {
	case Absent, Trap:
		return false
	case Lazy:
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.started
	}
	return true
}

func (p *peer) toService(m *dbus.Message, dest string) {
	b := p.bus
	noStart := m.Flags&dbus.FlagNoAutoStart != 0
	if dest == service && !b.present() && !noStart {
		switch b.opts.Mode {
		case Lazy:
			b.mu.Lock()
			b.started = true
			b.mu.Unlock()
		case Trap:
			b.record(Call{At: time.Now(), Client: p.id, Method: text(m, dbus.FieldMember)})
			return // the bus waits for the program that it has started
		}
	}
	if dest != service || !b.present() {
		p.fail(m, daemon+".Error.ServiceUnknown", "the name "+dest+" was not provided by any .service files")
		return
	}
	c := Call{At: time.Now(), Client: p.id, Method: text(m, dbus.FieldMember), NoStart: noStart}
	if b.opts.Mode == HangNo {
		b.record(c)
		return
	}
	switch c.Method {
	case "GetCapabilities":
		b.record(c)
		p.reply(m, b.opts.Caps)
	case "GetServerInformation":
		b.record(c)
		p.reply(m, "notifyspy", "fwrap", "1", "1.2")
	case "CloseNotification":
		if len(m.Body) == 1 {
			c.ID, _ = m.Body[0].(uint32)
		}
		b.mu.Lock()
		delete(b.up, c.ID)
		b.mu.Unlock()
		b.record(c)
		p.reply(m)
	case "Notify":
		p.notify(m, c)
	default:
		b.record(c)
		p.fail(m, daemon+".Error.UnknownMethod", "no method "+c.Method)
	}
}

func (p *peer) notify(m *dbus.Message, c Call) {
	var hints map[string]dbus.Variant
	err := dbus.Store(m.Body, &c.App, &c.Replace, &c.Icon, &c.Summary, &c.Body, &c.Actions, &hints, &c.Expire)
	if err != nil {
		p.fail(m, daemon+".Error.InvalidArgs", err.Error())
		return
	}
	c.Hints = make(map[string]any, len(hints))
	for k, v := range hints {
		c.Hints[k] = v.Value()
	}
	b := p.bus
	switch b.opts.Mode {
	case Hang:
		b.record(c)
		return
	case Error:
		b.record(c)
		p.fail(m, service+".Error.ExcessNotificationGeneration", "created too many similar notifications")
		return
	}
	b.mu.Lock()
	c.ID = c.Replace
	if c.ID == 0 {
		b.next++
		c.ID = b.next
	}
	b.up[c.ID] = c
	b.mu.Unlock()
	b.record(c)
	if b.opts.Slow > 0 {
		time.AfterFunc(b.opts.Slow, func() { p.reply(m, c.ID) })
		return
	}
	p.reply(m, c.ID)
}

func (b *Bus) record(c Call) {
	b.mu.Lock()
	b.calls = append(b.calls, c)
	close(b.changed)
	b.changed = make(chan struct{})
	b.mu.Unlock()
	if b.opts.Log != nil {
		b.opts.Log(c)
	}
}
