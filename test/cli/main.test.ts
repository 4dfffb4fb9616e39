// The command line as a whole, on the built package: what it lists, its exit codes, what it loads.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.js';
import { makeRoot } from '../models/tiny-models.js';
import { epsilens, main } from './epsilens.js';
import { inProcess, makeProgram } from './in-process.js';

const namesOf = (program: Command) => program.commands.map((command) => command.name());
const account = ['account', '--sample-rate', '0.1', '--noise', '1', '--steps', '10', '--delta', '1e-5'];

describe('epsilens', () => {
  it('lists every command with what it does', () => {
    const { status, stdout, stderr } = epsilens('--help');
    expect([status, stderr]).toEqual([0, '']);
    const listed = [...(stdout.split('Examples:')[0] ?? '').matchAll(/^ {2}([a-z]+) .*\S$/gm)].map(([, name]) => name);
    expect(listed).toEqual([...namesOf(makeProgram()), 'help']);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
    expect(epsilens('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('refuses an unknown command, and suggests one', () => {
    const { status, stdout, stderr } = epsilens('calibrat');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe("error: unknown command 'calibrat'\n(Did you mean calibrate?)\n(try --help)\n");
  });

  // The last is what only running shows: 1, not 2.
  it.each([
    [0, [...account, '--json']],
    [2, [...account, '--delta', '2']],
    [2, [...account, '--noize', '1']],
    [2, ['score']],
    [1, ['show', join(import.meta.dirname, 'nowhere')]],
  ] as const)('ends with %i and the same words as in this process: %j', async (code, args) => {
    const built = epsilens(...args);
    expect(built.status).toBe(code);
    expect(built).toEqual(await inProcess(...args));
    expect([built.stdout === '', built.stderr === '']).toEqual([code !== 0, code === 0]);
  });

  it('loads the command that was asked for, and no model runtime for one without models', () => {
    const hook = join(import.meta.dirname, 'print-loaded.js');
    const { status, stderr } = spawnSync(process.execPath, ['--import', hook, main, ...account], { encoding: 'utf8' });
    expect(status).toBe(0);
    const loaded = stderr.trim().split('\n');
    const commands = namesOf(makeProgram()).filter((name) =>
      loaded.some((url) => url.endsWith(`/dist/cli/${name}.js`)),
    );
    expect(commands).toEqual(['account']);
    expect(loaded.some((url) => url.includes('/dist/privacy/'))).toBe(true);
    expect(
      loaded.filter((url) => /onnxruntime|@observablehq|libsql|tokenizers|\/dist\/(models|engine)\//.test(url)),
    ).toEqual([]);
  });
});

describe('a file that cannot be read or written', () => {
  const root = makeRoot();
  const plain = join(root, 'plain.csv');
  const below = join(plain, 'below');
  writeFileSync(plain, 'text,label\na b,x\nc d,y\n');

  /** One line on stderr without codes or a stack, exit code 1 (2 if the path was an argument to be checked), nothing else. */
  const expectSentence = ({ status, stdout, stderr }: ReturnType<typeof epsilens>, path: string, code = 1) => {
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr.startsWith(`epsilens: ${path}`)).toBe(true);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).not.toMatch(/E[A-Z]{4,}|node:|\bat /);
  };

  it('is one sentence, wherever it is', () => {
    expectSentence(epsilens('train', '--data', plain, '--out', below, '--quiet'), below);
    expectSentence(epsilens('data', below), below);
    expectSentence(epsilens('calibrate', join(below, 'study.yaml'), '--quiet'), join(below, 'study.yaml'));
    expectSentence(epsilens('score', '--references', root, '--hypotheses', plain), root, 2);
    expectSentence(epsilens('data', plain, '--split', '50/50', '--out', below), below);
  });

  it('is one sentence even where no room expects it', () => {
    // Whoever runs these tests may be root, whom permissions do not bind.
    const hook = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      fs.readdirSync = (path) => {
        throw Object.assign(new Error('EACCES: permission denied, scandir'), { code: 'EACCES', syscall: 'scandir', path: '/closed' });
      };
      syncBuiltinESMExports();`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, main, 'studies'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expectSentence({ status, stdout, stderr }, '/closed: cannot be opened: permission denied: choose another path');
  });
});

describe('help', () => {
  const leaves = makeProgram().commands.flatMap((command) =>
    command.commands.length === 0 ? [command.name()] : namesOf(command).map((name) => `${command.name()} ${name}`),
  );

  it.each(leaves)('of %s shows usage, and what every option is for', async (path) => {
    const names = path.split(' ');
    const { status, stdout, stderr } = await inProcess(...names, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: epsilens ${path} [options]`);
    const command = names.reduce(
      (parent, name) => parent.commands.find((one) => one.name() === name) as Command,
      makeProgram(),
    );
    expect(command.description()).not.toBe('');
    for (const { flags, description, hidden } of command.options) {
      if (hidden) continue;
      expect(stdout).toContain(flags);
      expect(description, flags).not.toBe('');
    }
    for (const uniform of ['--json', '--quiet']) expect(stdout).toContain(uniform);
  });
});
