package cli

import (
	"flag"
	"fmt"
	"strings"
)

const completionUsage = `usage: fwrap completion bash|zsh|fish

Print a completion script. To use it:

  bash  source <(fwrap completion bash)
  zsh   fwrap completion zsh >"${fpath[1]}/_fwrap"
  fish  fwrap completion fish >~/.config/fish/completions/fwrap.fish
`

// The scripts complete fwrap's own flags, its verbs and, after that, whatever
// the shell completes for the wrapped command.
const (
	bashCompletion = `# bash completion for fwrap
_fwrap() {
	local i=1 w
	while [ $i -lt $COMP_CWORD ]; do
		w=${COMP_WORDS[i]}
		case $w in
		--agent|--name|--config|--sources|--record) i=$((i+2));;
		--) i=$((i+1)); break;;
		-*) i=$((i+1));;
		*) break;;
		esac
	done
	if [ $i -lt $COMP_CWORD ]; then
		if declare -F _command_offset >/dev/null; then _command_offset $i; else COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); fi
		return
	fi
	case ${COMP_WORDS[COMP_CWORD]} in
	-*) COMPREPLY=($(compgen -W "%[1]s" -- "${COMP_WORDS[COMP_CWORD]}"));;
	*) COMPREPLY=($(compgen -c -W "%[2]s" -- "${COMP_WORDS[COMP_CWORD]}"));;
	esac
}
complete -F _fwrap fwrap
`
	zshCompletion = `#compdef fwrap
_arguments -S \
	'--agent=[use the rules of this agent]:agent:' \
	'--name=[call the session so]:name:' \
	'--config=[configuration file]:file:_files' \
	'--record=[record the session in this file]:file:_files' \
	'--record-input[record what is typed, too]' \
	'--no-notify[no notifications]' \
	'--pure[change nothing in the stream]' \
	'--version[print the version]' \
	'--help[print help]' \
	'1:command:{_alternative "verbs:verb:(%[2]s)" "commands:command:_command_names -e"}' \
	'*::arguments:_normal'
`
	fishCompletion = `# fish completion for fwrap
function __fwrap_first; test (count (commandline -opc | string match -v -- '-*')) -le 1; end
complete -c fwrap -n __fwrap_first -a '%[2]s (__fish_complete_command)'
complete -c fwrap -n __fwrap_first -l agent -x -d 'use the rules of this agent'
complete -c fwrap -n __fwrap_first -l name -x -d 'call the session so'
complete -c fwrap -n __fwrap_first -l config -r -d 'configuration file'
complete -c fwrap -n __fwrap_first -l record -r -d 'record the session in this file'
complete -c fwrap -n __fwrap_first -l record-input -d 'record what is typed, too'
complete -c fwrap -n __fwrap_first -l no-notify -d 'no notifications'
complete -c fwrap -n __fwrap_first -l pure -d 'change nothing in the stream'
complete -c fwrap -n __fwrap_first -l version -l help
complete -c fwrap -n 'not __fwrap_first' -a '(__fish_complete_subcommand)'
`
)

func (a *app) completion(args []string) int {
	fs := flag.NewFlagSet("completion", flag.ContinueOnError)
	if done, code := a.verbFlags(fs, args, completionUsage); done {
		return code
	}
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	script, ok := scripts[fs.Arg(0)]
	if !ok || fs.NArg() != 1 {
		return a.usage(completionUsage, "completion needs bash, zsh or fish")
	}
	flags := "--agent --name --config --record --record-input --no-notify --pure --version --help"
	script = strings.NewReplacer("%[1]s", flags, "%[2]s", strings.Join(verbs, " ")).Replace(script)
	fmt.Fprint(a.stdout, script)
	return exitOK
}
