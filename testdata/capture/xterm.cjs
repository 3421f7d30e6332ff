// Draws standard input on a terminal of COLS columns and ROWS rows and prints
// the screen: node xterm.cjs COLS ROWS
const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');
const [cols, rows] = process.argv.slice(2).map(Number);
const term = new Terminal({ cols, rows, allowProposedApi: true });
term.loadAddon(new Unicode11Addon());
term.unicode.activeVersion = '11';
term.write(require('fs').readFileSync(0), () => {
	const b = term.buffer.active;
	const lines = [];
	for (let y = 0; y < rows; y++) {
		const line = b.getLine(b.baseY + y);
		lines.push(line ? line.translateToString(true) : '');
	}
	process.stdout.write(lines.join('\n') + '\n');
});
