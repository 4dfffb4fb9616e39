// The contract, for every attack of the registry.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { attacks, findAttack } from '../../src/attacks/index.js';
import { describeAttack } from './describe-attack.js';

for (const attack of attacks) describeAttack(attack);

it('names are unique, and an error about a wrong one lists them', () => {
  const names = attacks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(() => findAttack('spam')).toThrow(`unknown attack spam: expected ${names.join(', ')}`);
});

it('every attack has a row in the table of docs/attacks.md, with its own words', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/attacks.md'), 'utf8');
  for (const { name, words, measure } of attacks) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``));
    expect(row, name).toContain(words.help);
    expect(row).toContain(measure.name);
    expect(row).toContain(words.reference);
  }
});
