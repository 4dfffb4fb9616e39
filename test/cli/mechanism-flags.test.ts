// Flags follow from what mechanisms describe; old names are refused with the new ones.

import { describe, expect, it } from 'vitest';
import { Command } from '../../src/cli/command.js';
import { addProtectionFlags, describeProtection, protectionFrom } from '../../src/cli/protection-flags.js';
import { renamedFlags } from '../../src/cli/renamed-flags.js';
import { addTrain } from '../../src/cli/train.js';
import { mechanismNames, mechanismOf, protectorNames, protectorOf } from '../../src/mechanisms/index.js';

const parse = (...args: string[]) =>
  addProtectionFlags(new Command('attack').exitOverride()).parse(args, { from: 'user' }).opts<{ mechanism: string }>();
const protectionOf = (...args: string[]) => protectionFrom(parse(...args));

describe('flags of a protection', () => {
  it('fill in what was not given', () => {
    expect(protectionOf()).toEqual({ mechanism: 'none' });
    expect(protectionOf('--mechanism', 'gaussian', '--noise', '0.5')).toEqual({
      mechanism: 'gaussian',
      noiseMultiplier: 0.5,
      clipNorm: 1,
      clipping: 'clip',
      scope: 'joint',
    });
    const directional = protectionOf('--mechanism', 'directional', '--concentration', '1e5', '--scope', 'tensor');
    expect(describeProtection(directional)).toBe('directional noise, concentration 100000, tensor');
  });

  it('make the protection of a level again from its own values', () => {
    for (const name of protectorNames) {
      const { parameter, protectionAt } = protectorOf(name);
      const flags = parameter === undefined ? [] : [`--${parameter.flag}`, '0.5'];
      const level = protectionAt(0.5, { scope: 'joint', clipNorm: 1 });
      expect(protectionOf('--mechanism', name, ...flags)).toEqual(level);
    }
  });

  it.each<[string[], string]>([
    [['--mechanism', 'gaussian'], 'this mechanism needs --noise'],
    [['--mechanism', 'gaussian', '--cosine', '1'], '--cosine is for --mechanism cosine, got --mechanism gaussian'],
    [['--scope', 'tensor'], '--scope is for --mechanism gaussian or directional'],
    [
      ['--mechanism', 'gaussian', '--noise', '1', '--clipping', 'cut'],
      'invalid --clipping: expected clip or normalise',
    ],
    [['--mechanism', 'vmf'], '--mechanism vmf is now --mechanism directional'],
    ...Object.entries(renamedFlags.protection).map(([before, now]): [string[], string] => [
      [`--${before}`, 'x'],
      `--${before} is now --${now}`,
    ]),
  ])('refuse %j', (args, message) => {
    expect(() => protectionOf(...args)).toThrow(message);
  });
});

describe('help', () => {
  const program = new Command('epsilens');
  addTrain(program);
  const help = (program.commands[0]?.helpInformation() ?? '').replace(/\s+/g, ' ');

  it('tells every option of every mechanism, and no old name', () => {
    for (const name of mechanismNames) {
      const { planOptions, words } = mechanismOf(name);
      expect(help).toContain(`${name} (${words.label})`);
      for (const { help: told } of Object.values(planOptions)) expect(help).toContain(told);
    }
    for (const before of Object.keys(renamedFlags.train)) expect(help).not.toMatch(new RegExp(`--${before} `));
  });
});
