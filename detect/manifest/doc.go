// Package manifest reads an agent's rules from TOML and compiles them to
// [detect.Rules]. It is the only room that knows the file format.
//
// A manifest is data: no command, path or address in it is ever run, opened or
// fetched because of it. Reading is strict. A key, name, state, kind, region or
// pattern that is not known is refused with its file, line and column, because
// a rule that silently does nothing is a prompt that nobody is told about.
//
// # The format, schema 1
//
// A file with nothing but [[rules]], state and any is complete. Everything else
// refines.
//
//	schema = 1                     # of the format; a newer one is refused
//	version = "2026.11.30"         # of this file
//	agent = "claude"               # else the file's name says it
//	commands = ["claude"]          # base names of its programs
//	checked_with = ["2.1.332"]     # versions of the agent with a recording
//	program_status = true          # answering its OSC 7501 query makes it report
//	extends = "builtin"            # a user's file: own rules first, the built-in ones after
//	disable = ["menu"]             # with extends: built-in rules to leave out
//	[acp]
//	commands = ["claude-agent-acp"]
//	[self_report]                  # how to make it report by itself; read by who starts it
//
//	[screen]                       # how its screen is laid out; patterns of one row each
//	separators = ['^─{8,}']        # part the block at the end of the screen from what is above
//	inside = ['^ *\d\. Chat']      # a separator right above such a row parts nothing
//	items = ['^\S']                # begin an item of the conversation
//	trailing = ['^\* .*…']         # rows below a dialog that are not of it
//
//	[[boxes]]                      # the forms of its input box; the lowest one counts
//	top = '^─'                     # the row right above the prompt's, if there is one
//	prompt = '^> '
//	bottom = '^─'                  # without it the prompt's row ends the box
//	not = '^> \d\. '               # a row that prompt matches and that is none
//	leftover = '^\S'               # a row below it that says that it is an old one
//
//	[[rules]]                      # the first that matches wins, in file order
//	id = "permission"              # names it in messages, overrides and logs
//	state = "blocked"              # blocked, working, idle; keep: what was before holds
//	kind = "permission"            # one of the state's kinds
//	region = "dialog"              # what the patterns look at; whole if not given
//	any = ['Do you want to']       # one must match
//	all = ['❯ 1\. ']               # every one must match
//	not = ['Esc to close']         # none may match
//	box = false                    # an input box must (not) be at the end of the screen
//	alt = true                     # the alternate screen must (not) be shown
//	also = [{ region = "title", not = ['.'] }]   # further conditions
//	[rules.question]               # of a blocked rule: what to read off the dialog
//	region = "dialog"
//	text = ['^ *(Do you .*\?)']    # each that matches adds its groups
//	options = ['^ *\d\. (.+)$']    # tried on each line
//	except = ['Type something']    # lines that are no options
//	[[rules.examples]]             # screens that show what the rule means
//	match = true                   # false: the rule must not decide this screen
//	screen = '''…'''
//	size = "80x24"                 # else as large as the text
//	title = "✳ demo"
//	progress = "normal 40"
//	alt = true
//	question = "Do you …?"         # what must be read
//	options = ["Yes", "No"]
//	note = "where it is from"
//
// Patterns are RE2. ^ and $ are the ends of a line, \A and \z those of the
// region. Each is tried on the region as drawn and then with every paragraph on
// one line, without the borders of boxes, so that a phrase is found however
// narrow the window is. No-break spaces are plain ones.
//
// The regions: whole, title (the window's), progress (OSC 9;4: "none", "normal
// 40", "error 40", "indeterminate", "paused 40"), box (the input box), above
// and below (the rows above and below it), item (the last item of the
// conversation above it), dialog (the block at the end of the screen where no
// input box is), last (the last paragraph), cursor (the cursor's row). A region
// that the screen does not have matches nothing.
//
// A rule on title or progress that is not blocked wins only where no blocked
// rule matches, wherever it stands: a title lags behind the screen.
package manifest
