package detect

// combine weighs what is known into a status without its time. It returns false
// where the status before holds.
//
// The order: an agent that has gone has no state; a prompt on the screen is
// always blocked; then what the other rules say. Reports of the agent and the
// terminal's foreground process stand between the last two.
func combine(alive bool, v Verdict, known bool, before Status) (Status, bool) {
	switch {
	case !alive || !known:
		return Status{State: None}, true
	case v.Keep && before.State != None:
		return Status{}, false
	case v.Keep:
		return Status{State: Idle, Source: FromScreen}, true
	}
	return v.status(), true
}
