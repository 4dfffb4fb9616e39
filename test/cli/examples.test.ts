// The examples at the end of every command's help, and what other tools call a command.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.js';
import { commandMeant } from '../../src/cli/synonyms.js';
import { epsilens } from './epsilens.js';
import { inProcess, makeProgram } from './in-process.js';

/** Every command, with the words that lead to it. */
const pathsOf = (command: Command, path: readonly string[] = []): string[][] =>
  command.commands.flatMap((one) => [[...path, one.name()], ...pathsOf(one, [...path, one.name()])]);

const examplesIn = (help: string): string[] =>
  [...(help.split(/^Examples?:$/m)[1] ?? '').matchAll(/^ {2}epsilens (.*)$/gm)].map(([, rest]) => rest as string);

/** The words as a shell would split them, up to a redirection. */
const wordsOf = (line: string): string[] =>
  [...(line.split(' > ')[0] as string).matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? (word as string),
  );

/** Parses without running: throws for an unknown command, an unknown flag, or one that would have no effect. */
async function parse(line: string): Promise<string[]> {
  const program = makeProgram().configureOutput({ writeErr: () => {} });
  const ran: string[] = [];
  const still = (command: Command): void => {
    command.configureOutput({ writeErr: () => {} });
    if (command.commands.length === 0) command.action(() => void ran.push(command.name()));
    for (const one of command.commands) still(one);
  };
  still(program);
  await program.parseAsync(wordsOf(line), { from: 'user' });
  return ran;
}

describe('the examples of help', () => {
  it.each(pathsOf(makeProgram()).map((path) => path.join(' ')))('of %s can be parsed', async (path) => {
    const { stdout } = await inProcess(...path.split(' '), '--help');
    const examples = examplesIn(stdout);
    expect([1, 2, 3]).toContain(examples.length);
    // They come last.
    expect(stdout.trimEnd().endsWith(`epsilens ${examples.at(-1)}`)).toBe(true);
    for (const example of examples) {
      expect(example.startsWith(path)).toBe(true);
      expect(await parse(example), example).toHaveLength(1);
    }
  });

  it('of epsilens itself can be parsed', async () => {
    const examples = examplesIn(epsilens('--help').stdout);
    expect(examples).toHaveLength(3);
    for (const example of examples) expect(await parse(example), example).toHaveLength(1);
  });

  it.each(['train --out x --epsilom 3', 'trian --out x', 'train', 'score --references a --tokenz words'])(
    'would be found wrong: %s',
    async (line) => {
      await expect(parse(line)).rejects.toThrow();
    },
  );
});

describe('the names of other tools', () => {
  it.each([
    ['predict', 'classify'],
    ['infer', 'classify'],
    ['evaluate', 'classify --data'],
    ['finetune', 'train'],
    ['fine-tune', 'train'],
    ['audit', 'attack'],
    ['epsilon', 'account'],
    ['accountant', 'account'],
  ])('%s is answered with %s', (name, meant) => {
    expect(commandMeant(name)).toBe(meant);
  });

  it('end with a sentence and exit code 2', () => {
    expect(epsilens('predict', '--text', 'a')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'epsilens: unknown command predict: did you mean classify?\n',
    });
  });

  it('are no commands themselves, and lead to one', () => {
    const names = makeProgram().commands.map((command) => command.name());
    for (const name of names) expect(commandMeant(name)).toBeUndefined();
    expect(commandMeant('toString')).toBeUndefined();
  });
});
