// Flags follow from what mechanisms describe; old names are refused with the new ones.

import { describe, expect, it } from 'vitest';
import { ArgumentError, type OptionSchema } from '../../src/checks/index.js';
import { Command } from '../../src/cli/command.js';
import { addMechanismFlags, type MechanismChoice, readMechanismFlags } from '../../src/cli/mechanism-flags.js';
import { addProtectionFlags, protectionFrom } from '../../src/cli/protection-flags.js';
import { refuseRenamed, renamedFlags } from '../../src/cli/renamed-flags.js';
import { addTrain } from '../../src/cli/train.js';
import { mechanismOf, protectorNames, protectorOf, trainingNames } from '../../src/mechanisms/index.js';

const parse = (...args: string[]) =>
  addProtectionFlags(new Command('attack').exitOverride()).parse(args, { from: 'user' }).opts<{ mechanism: string }>();
const protectionOf = (...args: string[]) => protectionFrom(parse(...args));

describe('flags of a protection', () => {
  it('fill in defaults', () => {
    expect(protectionOf()).toEqual({ mechanism: 'none' });
    expect(protectionOf('--mechanism', 'gaussian', '--noise', '0.5')).toEqual({
      mechanism: 'gaussian',
      noiseMultiplier: 0.5,
      clipNorm: 1,
      clipping: 'clip',
      scope: 'joint',
    });
    const directional = protectionOf('--mechanism', 'directional', '--concentration', '1e5', '--scope', 'tensor');
    expect(protectorOf(directional.mechanism).describeProtection(directional)).toBe(
      'directional noise, concentration 100000, tensor',
    );
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
    [['--mechanism', 'gaussian'], '--mechanism gaussian needs --noise'],
    [['--mechanism', 'gaussian', '--cosine', '1'], '--cosine is for --mechanism cosine, got --mechanism gaussian'],
    [['--scope', 'tensor'], '--scope is for --mechanism normalised or gaussian or gaussian-normalised or directional'],
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

  it('lists every option of every mechanism, and no old name', () => {
    for (const name of trainingNames) {
      const { planOptions, words } = mechanismOf(name);
      expect(help).toContain(`${name} (${words.label})`);
      for (const { help: words } of Object.values(planOptions)) expect(help).toContain(words);
    }
    for (const before of Object.keys(renamedFlags.train)) expect(help).not.toMatch(new RegExp(`--${before} `));
  });
});

describe('mechanisms that share options', () => {
  const words = (label: string) => ({ label, short: label, definition: label });
  const width = (usual: number): OptionSchema[string] => ({
    type: 'positive',
    default: usual,
    help: 'width of a stair',
  });
  const choices: readonly MechanismChoice<'none' | 'stairs' | 'ramp' | 'lift'>[] = [
    { name: 'none', words: words('none'), options: {} },
    {
      name: 'stairs',
      words: words('staircase noise'),
      parameter: { key: 'stairCount', flag: 'stairs', symbol: 's', ascii: 's', unit: 'stairs', moreNoise: 'higher' },
      options: { stairCount: { type: 'integer', least: 1, help: 'how many' }, stairWidth: width(2) },
    },
    { name: 'ramp', words: words('ramp noise'), options: { stairWidth: width(2) } },
    { name: 'lift', words: words('lift noise'), options: { stairWidth: width(3) } },
  ];
  const make = () => {
    const command = new Command('train').exitOverride();
    addMechanismFlags(command, 'which noise', choices);
    return command;
  };
  const readFlags = (...args: string[]) => {
    const { flagOf: _, ...read } = readMechanismFlags(choices, make().parse(args, { from: 'user' }).opts());
    return read;
  };

  it('have one flag per option, which names its mechanisms and their defaults', () => {
    expect(make().options.map(({ flags, description }) => [flags, description])).toEqual([
      ['--mechanism <name>', 'which noise: none, stairs (staircase noise), ramp (ramp noise), lift (lift noise)'],
      ['--stairs <count>', 'stairs: how many'],
      ['--stair-width <number>', 'stairs, ramp: width of a stair (default: 2); lift: width of a stair (default: 3)'],
    ]);
  });

  it('read the flags of the chosen one, under the mechanism’s own names', () => {
    expect(readFlags()).toEqual({ name: 'none', values: {} });
    expect(readFlags('--mechanism', 'stairs', '--stairs', '4')).toEqual({
      name: 'stairs',
      values: { stairCount: 4, stairWidth: 2 },
    });
    expect(readFlags('--mechanism', 'lift')).toEqual({ name: 'lift', values: { stairWidth: 3 } });
  });

  it.each([
    [['--stair-width', '1'], '--stair-width is for --mechanism stairs or ramp or lift, got --mechanism none'],
    [['--mechanism', 'ramp', '--stairs', '1'], '--stairs is for --mechanism stairs, got --mechanism ramp'],
    [['--mechanism', 'stairs', '--stairs', '0'], 'invalid --stairs: expected a whole number >= 1, got 0'],
    [['--mechanism', 'slope'], 'invalid --mechanism: expected none, stairs, ramp, lift, got slope'],
  ])('refuse %j', (args, message) => {
    expect(() => readFlags(...args)).toThrow(new ArgumentError(message));
  });
});

describe('renamed flags', () => {
  const parseRenamed = async (...args: string[]) => {
    const command = new Command('score')
      .exitOverride()
      .option('--no-similarity', 'without')
      .action(() => {});
    refuseRenamed(command, { 'old-name': 'new-name', 'no-cosine': 'no-similarity' });
    await command.parseAsync(args, { from: 'user' });
    return command;
  };

  it('are refused with the new name, with and without a value', async () => {
    await expect(parseRenamed('--old-name', '3')).rejects.toThrow('--old-name is now --new-name');
    await expect(parseRenamed('--old-name=3')).rejects.toThrow('--old-name is now --new-name');
    await expect(parseRenamed('--no-cosine')).rejects.toThrow('--no-cosine is now --no-similarity');
  });

  it('are not in help, and do not disturb the new ones', async () => {
    const command = await parseRenamed('--no-similarity');
    expect(command.opts().similarity).toBe(false);
    expect(command.helpInformation()).not.toMatch(/old-name|cosine/);
  });
});
