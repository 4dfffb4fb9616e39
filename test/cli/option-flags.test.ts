// Flags follow from option schemas: names, placeholders, help texts, and values that only the schema judges.

import { describe, expect, it } from 'vitest';
import { attacks } from '../../src/attacks/index.js';
import { ArgumentError, expectationOf, type OptionSchema, readOptions } from '../../src/checks/index.js';
import { Command } from '../../src/cli/command.js';
import { addOptionFlags, dashed, flagOf, optionsAmong } from '../../src/cli/option-flags.js';
import { mechanisms, protectors, trainingNames } from '../../src/mechanisms/index.js';
import { makeProgram } from './in-process.js';

const schema = {
  batchSize: { type: 'integer', least: 2, default: 4, help: 'how many' },
  learningRate: { type: 'positive', below: 1, help: 'how fast' },
  kind: { type: 'choice', choices: ['one', 'other'], default: 'one', help: 'which' },
  unknownLengths: { type: 'boolean', default: false, help: 'whether' },
  prior: { type: 'text', default: 'none', help: 'what is known' },
} as const satisfies OptionSchema;

const make = () => addOptionFlags(new Command('attack').exitOverride(), schema);
const parse = (...args: string[]) => make().parse(args, { from: 'user' }).opts();
const read = (...args: string[]) => readOptions(schema, optionsAmong(schema, parse(...args)), flagOf);

describe('flags of options', () => {
  it('are named after the options', () => {
    expect([flagOf('batchSize'), flagOf('kind'), dashed('aBC')]).toEqual(['--batch-size', '--kind', 'a-b-c']);
  });

  it('have placeholders, and help with choices and defaults', () => {
    expect(make().options.map(({ flags, description }) => [flags, description])).toEqual([
      ['--batch-size <count>', 'how many (default: 4)'],
      ['--learning-rate <number>', 'how fast'],
      ['--kind <name>', 'which (one or other; default: one)'],
      ['--unknown-lengths', 'whether'],
      ['--prior <text>', 'what is known (default: none)'],
    ]);
  });

  it('stay absent if not given, so that another reader may have another default', () => {
    expect(parse()).toEqual({});
    expect(read()).toEqual({ batchSize: 4, kind: 'one', unknownLengths: false, prior: 'none' });
  });

  it('give numbers for numeric options, and text unchanged', () => {
    const args = [
      '--batch-size',
      '1e3',
      '--learning-rate',
      '.5',
      '--kind',
      'other',
      '--unknown-lengths',
      '--prior',
      '7',
    ];
    expect(read(...args)).toEqual({
      batchSize: 1000,
      learningRate: 0.5,
      kind: 'other',
      unknownLengths: true,
      prior: '7',
    });
  });

  it.each([
    ['--batch-size', '1', 'a whole number >= 2, got 1'],
    ['--batch-size', '2.5', 'a whole number >= 2, got 2.5'],
    ['--batch-size', 'many', 'a whole number >= 2, got many'],
    ['--batch-size', ' ', 'a whole number >= 2, got  '],
    ['--batch-size', 'Infinity', 'a whole number >= 2, got Infinity'],
    ['--learning-rate', '1', 'a number > 0 and < 1, got 1'],
    ['--learning-rate', '-1', 'a number > 0 and < 1, got -1'],
    ['--learning-rate', 'NaN', 'a number > 0 and < 1, got NaN'],
    ['--kind', 'third', 'one or other, got third'],
    ['--prior', '', 'text, got '],
  ])('refuse %s %j in one sentence', (flag, value, message) => {
    expect(() => read(`${flag}=${value}`)).toThrow(new ArgumentError(`invalid ${flag}: expected ${message}`));
  });

  it('are picked from all flags of a command', () => {
    const flags = { json: true, batchSize: 3, prior: undefined, kind: 'x' };
    expect(optionsAmong(schema, flags)).toEqual({ batchSize: 3, kind: 'x' });
  });
});

const commandOf = (...path: string[]): Command =>
  path.reduce((parent, name) => {
    const found = parent.commands.find((one) => one.name() === name);
    if (found === undefined) throw new Error(`no command ${name}`);
    return found;
  }, makeProgram());

describe.each(attacks.map((attack) => [attack.name, attack] as const))('the command of %s', (name, attack) => {
  const command = commandOf('attack', name);

  it('has a flag with help for every option', () => {
    for (const [key, option] of Object.entries<OptionSchema[string]>(attack.options)) {
      const found = command.options.find(({ long }) => long === flagOf(key));
      expect(found?.description, key).toContain(option.help);
      expect(found?.required, key).toBe(option.type !== 'boolean');
      if (option.type === 'choice') expect(found?.description).toContain(expectationOf(option));
    }
  });

  it('says what it does and where it comes from', () => {
    expect(command.description()).toContain(attack.words.help);
  });

  if (attack.sees !== 'gradient') return;
  it.each(Object.values(protectors).map((one) => [one.name, one] as const))('has every flag of %s', (_, one) => {
    expectFlags(command, one.protectOptions, 'parameter' in one ? one.parameter : undefined);
  });
});

const offered = trainingNames.map((name) => [name, mechanisms[name]] as const);
describe.each(offered)('training with %s', (name, one) => {
  const command = commandOf('train');

  it('has a flag for every option', () => {
    expectFlags(command, one.planOptions, 'parameter' in one ? one.parameter : undefined);
  });

  it('is named in help', () => {
    const help = command.options.find(({ long }) => long === '--mechanism')?.description;
    expect(help).toContain(name);
    expect(help).toContain(one.words.label);
  });
});

function expectFlags(command: Command, options: OptionSchema, parameter?: { key: string; flag: string }): void {
  for (const [key, option] of Object.entries(options)) {
    const flag = key === parameter?.key ? `--${parameter.flag}` : flagOf(key);
    const found = command.options.filter(({ long }) => long === flag);
    expect(found, flag).toHaveLength(1);
    expect(found[0]?.description).toContain(option.help);
  }
}

it('no option is on unless it is given: there would be no flag to switch it off', () => {
  const all = [
    ...attacks.map(({ options }) => options),
    ...Object.values(mechanisms).map(({ planOptions }) => planOptions),
    ...Object.values(protectors).map(({ protectOptions }) => protectOptions),
  ] as readonly OptionSchema[];
  const switches = all.flatMap((one) => Object.values(one)).filter(({ type }) => type === 'boolean');
  for (const option of switches) expect(option.default).toBe(false);
});
