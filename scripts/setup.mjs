// Makes a clone ready to run: installs dependencies where they are missing or the lock file changed; with --build it also
// compiles src/ into dist/ and extracts the bundled data. Every npm script calls it, because install scripts are switched off.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const oldest = [20, 19];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  fail(
    `Node ${oldest.join('.')} or newer is needed, got ${process.versions.node}: install a newer Node and try again.`,
  );
}
install();
if (process.argv.includes('--build')) {
  build();
  await extractData();
}

function install() {
  const stamp = join(root, 'node_modules', '.epsilens-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  process.stderr.write('Installing dependencies (once) …\n');
  const npm = process.env.npm_execpath;
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const result = spawnSync(command, [...first, 'ci', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: npm === undefined && process.platform === 'win32',
  });
  if (result.status !== 0) fail('npm ci failed: its message is above; is the npm registry reachable?');
  writeFileSync(stamp, lock);
}

function build() {
  const stamp = join(root, 'dist', '.built');
  const state = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
    cwd: root,
    stdio: 'inherit',
  });
  if (result.status !== 0) fail('the build failed: see the messages above.');
  chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, state);
}

/** Saves the first use a wait: the mail would be extracted then. */
async function extractData() {
  const { prepareMail } = await import(pathToFileURL(join(root, 'dist', 'data', 'mail', 'load.js')).href);
  const count = await prepareMail().catch((error) => fail(error.message));
  if (count !== undefined) process.stderr.write(`Extracted ${count} messages of mail (once).\n`);
}

/** A hash of the names, sizes and times of all files that the build depends on. */
function fingerprint() {
  const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'));
  const files = [
    ...sources.sort().map((name) => join('src', name)),
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
  ];
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function fail(message) {
  process.stderr.write(`epsilens: ${message}\n`);
  process.exit(1);
}
