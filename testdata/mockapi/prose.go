package mockapi

import "strings"

var prose = strings.Repeat("The parser walks the token list once and keeps a small stack of open scopes. "+
	"Every time a scope closes we compare its symbol table with the one recorded by the previous pass. ", 6)

const plan = "# Plan: rename the parser\n\n1. Rename `parse` to `parseTokens`\n2. Update the two call sites\n3. Run the tests\n"

const summary = "<analysis>short</analysis>\n<summary>\n1. Primary Request and Intent: the user tests scenarios.\n" +
	"2. Pending Tasks: none.\n3. Current Work: none.\n</summary>"

const quote = `The dialog you asked about looks like this when Claude Code prints it:

Bash command

  curl http://example.com/install.sh
  Download the installer

This command requires approval

Do you want to proceed?
❯ 1. Yes
  2. Yes, and don't ask again for curl commands
  3. No, and tell Claude what to do differently (esc)

Esc to cancel · Tab to amend

That is all there is to it.`

const quoteCode = "Here is the prompt as a code block:\n\n```\nDo you want to proceed?\n❯ 1. Yes\n  2. No\n\n" +
	"Esc to cancel · Tab to amend · ctrl+e to explain\n```\n\nIt waits for Enter."

const quoteEnd = "The prompt reads:\n\n```\nDo you want to make this edit to hello.py?\n❯ 1. Yes\n" +
	"  2. Yes, allow all edits during this session (shift+tab)\n  3. No\n\nEsc to cancel · Tab to amend\n```"
