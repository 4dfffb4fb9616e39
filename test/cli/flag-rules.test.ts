// Flags that would be ignored in silence are refused, in one sentence and with exit code 2; defaults never are.

import { describe, expect, it } from 'vitest';
import { findAttack } from '../../src/attacks/index.js';
import { ArgumentError } from '../../src/checks/index.js';
import { Command } from '../../src/cli/command.js';
import { refuseIgnored } from '../../src/cli/flag-rules.js';
import { flagOf } from '../../src/cli/option-flags.js';
import { inProcess, makeProgram } from './in-process.js';

function parse(...args: string[]): void {
  const command = new Command('test')
    .option('--file <path>', 'a file', 'default.txt')
    .option('--rows <count>', 'rows', '3')
    .option('--header', 'with a header')
    .option('--no-header', 'without a header')
    .option('--no-colour', 'plain')
    .option('--quiet', 'no words')
    .action(() => {});
  refuseIgnored(command, [
    { given: '--quiet', accepts: ['--file'] },
    { flags: ['--rows', '--header', '--no-header'], with: ['--file', '--no-colour'] },
  ]);
  command.exitOverride().parse(args, { from: 'user' });
}

describe('refuseIgnored', () => {
  it('takes every flag beside those it needs, and defaults anywhere', () => {
    for (const args of [[], ['--file', 'x'], ['--file', 'x', '--rows', '2', '--no-header'], ['--quiet']]) {
      expect(() => parse(...args)).not.toThrow();
    }
    expect(() => parse('--no-colour', '--rows', '3')).not.toThrow();
    expect(() => parse('--quiet', '--file', 'x')).not.toThrow();
  });

  it('refuses a flag without any of those it needs, even where its value is the default', () => {
    const sentence = 'has an effect only with --file or --no-colour: add that, or leave it out';
    expect(() => parse('--rows', '3')).toThrow(new ArgumentError(`--rows ${sentence}`));
    expect(() => parse('--header')).toThrow(`--header ${sentence}`);
    expect(() => parse('--no-header')).toThrow(`--no-header ${sentence}`);
  });

  it('refuses all but the accepted flags beside one that excludes them', () => {
    expect(() => parse('--quiet', '--no-colour')).toThrow(
      '--no-colour has no effect with --quiet: leave one of them out',
    );
    expect(() => parse('--rows', '1', '--quiet')).toThrow('--rows has no effect with --quiet');
  });
});

async function expectRefusal(args: readonly string[], sentence: string): Promise<void> {
  const { status, stdout, stderr } = await inProcess(...args);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect([status, stdout]).toEqual([2, '']);
}

/** Long flags of an attack's command, each with a value where it takes one. */
function flagsOf(name: string): string[][] {
  const attack = makeProgram().commands.find((one) => one.name() === 'attack');
  const options = attack?.commands.find((one) => one.name() === name)?.options ?? [];
  return options
    .filter(({ hidden }) => !hidden)
    .map(({ long, required }) => [long as string, ...(required ? ['3'] : [])]);
}

describe('epsilens attack', () => {
  const accepted = ['--model', '--gradients', '--length', '--noise-deviation', '--show-guesses', '--json', '--quiet'];
  const attacker = Object.keys(findAttack('span').options).map(flagOf);
  const client = flagsOf('span').filter(([flag]) => ![...accepted, ...attacker].includes(flag as string));

  it('knows flags of a client to refuse', () => {
    const names = client.map(([flag]) => flag);
    expect(names).toEqual(
      expect.arrayContaining(['--text', '--data', '--count', '--loss', '--shared', '--batch-size']),
    );
    expect(names).toEqual(
      expect.arrayContaining(['--mechanism', '--noise', '--clip-norm', '--concentration', '--seed']),
    );
  });

  it.each(client)('refuses %s beside a file of gradients', async (...given) => {
    await expectRefusal(
      ['attack', 'span', '--gradients', 'none.safetensors', ...given],
      `${given[0]} has no effect with --gradients: leave one of them out`,
    );
  });

  it.each(['--length', '--noise-deviation'])('refuses %s without a file of gradients', async (flag) => {
    await expectRefusal(['attack', 'span', '--text', 'a b', flag, '3'], `${flag} has an effect only with --gradients`);
  });

  const ofData = ['--format', '--text-column', '--label-column', '--classes', '--split', '--count'];
  const switches = ['--header', '--no-header', '--skip-empty'];
  it.each([...ofData.map((flag) => [flag, '1']), ...switches.map((flag) => [flag])])(
    'refuses %s where the client’s text is given',
    async (...given) => {
      for (const name of ['span', 'decepticons']) {
        const command = ['attack', name, '--text', 'a b', ...given];
        await expectRefusal(command, `${given[0]} has an effect only with --data: add that, or leave it out`);
      }
    },
  );

  it('has a flag for groups only where an attack reads them', async () => {
    for (const name of ['span', 'decepticons']) expect(flagsOf(name).flat()).not.toContain('--group-column');
    expect(flagsOf('membership').flat()).toContain('--group-column');
  });
});

describe('other commands', () => {
  const account = ['account', '--sample-rate', '0.1', '--noise', '1', '--steps', '10', '--delta', '1e-5'];
  const texts = ['score', '--reference', 'a', '--hypothesis', 'b'];
  it.each([
    [[...account, '--accountant', 'rdp'], '--accountant has an effect only with --epsilon or --every'],
    [[...texts, '--seed', '2'], '--seed has an effect only with --references or --hypotheses'],
    [[...texts, '--match'], '--match has an effect only with --references or --hypotheses'],
    [['data', 'bundled:mail', '--seed', '2'], '--seed has an effect only with --split'],
    [['data', 'bundled:mail', '--out', 'x'], '--out has an effect only with --split'],
    [['data', 'rows.csv', '--group-column', 'user'], '--group-column has an effect only with --split'],
    [['show', 'out', '--redact'], '--redact has an effect only with --json'],
  ])('refuse a flag that would be ignored: %j', expectRefusal);

  it('refuse to resume and to run anew at once', async () => {
    const { status, stdout, stderr } = await inProcess('calibrate', '--resume', '--force');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain("option '--resume' cannot be used with option '--force'");
  });
});
