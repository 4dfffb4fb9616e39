// The packed package installed as a dependency, from the npm registry alone, and used as the README says.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readmeProgram } from './docs/pages.js';

const root = join(import.meta.dirname, '..');
const windows = process.platform === 'win32';

/** Variables that npm sets for its scripts must not reach the npm of a new project. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle|config_(ignore|local))|ONNXRUNTIME_)/.test(name),
  ),
);

function run(cwd: string, command: string, ...args: string[]) {
  const result = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: environment,
    shell: windows,
    timeout: 900_000,
  });
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}

const hasRegistry = run(tmpdir(), 'npm', 'view', 'commander', 'version').status === 0;
if (!hasRegistry) process.stdout.write('Installing is not tested: the npm registry cannot be reached.\n');

const megabytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;

describe.skipIf(!hasRegistry)('the package as a dependency', () => {
  const home = mkdtempSync(join(tmpdir(), 'epsilens-install-'));
  afterAll(() => rmSync(home, { recursive: true }));
  let tarball = '';

  beforeAll(() => {
    const { stdout } = run(root, 'npm', 'pack', '--json', '--pack-destination', home);
    tarball = join(home, (JSON.parse(stdout) as [{ filename: string }])[0].filename);
  });

  function install(name: string, ...flags: string[]): string {
    const folder = join(home, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
    const start = performance.now();
    const { status, stderr } = run(folder, 'npm', 'install', tarball, '--no-audit', '--no-fund', ...flags);
    expect(status, stderr).toBe(0);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    const size = megabytes(join(folder, 'node_modules')).toFixed(0);
    process.stdout.write(
      `npm install epsilens ${flags.join(' ')}: ${size} MB in ${seconds} s, Node ${process.version}\n`,
    );
    return folder;
  }

  // Not through npx, which may have warnings of its own.
  const epsilens = (folder: string, ...args: string[]) =>
    run(folder, process.execPath, join('node_modules', 'epsilens', 'dist', 'cli', 'main.js'), ...args);
  const demo = (folder: string) => epsilens(folder, 'demo', '--steps', '2', '--json');

  it('runs the example of the README and its command, installed without install scripts', () => {
    const folder = install('plain', '--ignore-scripts');
    const help = run(folder, 'npx', 'epsilens', '--help');
    expect(help.status).toBe(0);
    expect(help.stdout).toContain('calibrate');
    const { code, prints } = readmeProgram();
    writeFileSync(join(folder, 'example.js'), code);
    const { stdout, stderr } = run(folder, process.execPath, 'example.js');
    const lines = stdout.trim().split('\n');
    expect(lines.length, stderr).toBe(prints.length);
    for (const [index, line] of lines.entries()) expect(line).toMatch(prints[index] as RegExp);
    expect(demo(folder)).toMatchObject({ status: 0, stderr: '' });
  });

  it('installs without a flag, and says how to get ONNX Runtime where its install script failed', () => {
    const folder = install('scripts');
    const first = demo(folder);
    if (first.status !== 0) {
      const advice = 'npm install onnxruntime-node@1.30 --ignore-scripts';
      expect(first.stderr).toBe(
        `epsilens: ONNX Runtime cannot be loaded: onnxruntime-node is not installed: run ${advice}\n`,
      );
      expect(run(folder, 'npm', ...advice.split(' ').slice(1)).status).toBe(0);
    }
    expect(demo(folder)).toMatchObject({ status: 0, stderr: '' });
  });

  it('counts epsilon without what is optional', () => {
    const folder = install('small', '--omit=optional');
    expect(megabytes(join(folder, 'node_modules'))).toBeLessThan(100);
    const args = ['account', '--sample-rate', '0.01', '--noise', '1', '--steps', '100', '--delta', '1e-5'];
    expect(epsilens(folder, ...args)).toMatchObject({ status: 0, stderr: '' });
  });
});
