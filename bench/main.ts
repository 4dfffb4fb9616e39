// npm run bench [name …] [-- --json] [-- --peer NAME="COMMAND"]: runs benchmarks and prints one table. Each case runs in
// a process of its own; a peer is any command, whose output is printed under the table.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attacks } from './attacks.js';
import type { Case, Row } from './case.js';
import { engine } from './engine.js';
import { models } from './models.js';
import { privacy } from './privacy.js';
import { scores } from './scores.js';
import { formatTable } from './table.js';
import { training } from './training.js';

const groups: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  engine,
  models,
  privacy,
  scores,
  training,
  attacks,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    peer: { type: 'string', multiple: true, default: [] },
    case: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`npm run bench [name …] -- [--json] [--peer NAME="COMMAND"]

  name    ${Object.entries(groups)
    .map(
      ([group, cases]) =>
        `${group} (${Object.keys(cases)
          .map((name) => `${group}.${name}`)
          .join(', ')})`,
    )
    .join('\n          ')}
  --peer  runs another program after ours and prints what it prints; may be given several times
  --json  one JSON document: { rows, peers }
`);
} else if (values.case !== undefined) {
  const rows = await find(values.case)();
  process.stdout.write(JSON.stringify(rows));
} else {
  const cases = chosen(positionals);
  const rows = cases.flatMap((name) => runCase(name));
  const peers = values.peer.map(runPeer);
  if (values.json) process.stdout.write(`${JSON.stringify({ rows, peers }, null, 2)}\n`);
  else process.stdout.write([formatTable(rows), ...peers.map(({ name, output }) => `\n${name}\n${output}`)].join(''));
}

function chosen(names: readonly string[]): string[] {
  const all = Object.entries(groups).flatMap(([group, cases]) => Object.keys(cases).map((name) => `${group}.${name}`));
  if (names.length === 0) return all;
  return names.flatMap((name) => {
    const found = all.filter((full) => full === name || full.startsWith(`${name}.`));
    if (found.length === 0)
      fail(`unknown benchmark ${name}, expected ${Object.keys(groups).join(', ')} or one of ${all.join(', ')}`);
    return found;
  });
}

function find(full: string): Case {
  const [group = '', name = ''] = full.split('.');
  return groups[group]?.[name] ?? fail(`unknown benchmark ${full}`);
}

function runCase(name: string): Row[] {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${name} …`);
  const result = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--case', name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K');
  if (result.status !== 0) fail(`${name} failed`);
  return JSON.parse(result.stdout) as Row[];
}

function runPeer(argument: string): { name: string; output: string } {
  const place = argument.indexOf('=');
  if (place < 1) fail(`invalid --peer: expected NAME="COMMAND", got ${argument}`);
  const [name, command] = [argument.slice(0, place), argument.slice(place + 1)];
  const result = spawnSync(command, { shell: true, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { name, output: result.status === 0 ? result.stdout : `failed: ${result.stderr}` };
}

function fail(message: string): never {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(2);
}
