// Ten thousand model folders with a damaged JSON file: each loads or is refused with a FileError, and none hangs.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ArgumentError, FileError } from '../../src/checks/index.js';
import { loadModel } from '../../src/models/index.js';
import { integerBelow, type SeededSource, seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from './tiny-models.js';

const root = makeRoot();
const rounds = 2500;

it.each([
  ['bert', 'config.json'],
  ['gpt2', 'config.json'],
  ['bert', 'tokenizer.json'],
  ['bert', 'model.safetensors.index.json'],
] as const)(`survives ${rounds} mutations of %s's %s`, async (name, file) => {
  const folder = await writeTiny(join(root, `${name} ${file}`), name, { files: 2 });
  const path = join(folder, file);
  const whole = readFileSync(path, 'utf8');
  const random = seededSource(`${name} ${file}`);
  const outcomes = { loaded: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    const text = round % 3 === 0 ? mutateText(whole, random) : JSON.stringify(mutateJson(JSON.parse(whole), random));
    writeFileSync(path, text);
    const start = performance.now();
    try {
      const model = await loadModel(folder);
      model.tokenizer.decode(model.tokenizer.encode('a quick fox, [MASK] é 中', { maxTokens: 8 }));
      model.build({ batch: 1, tokens: 2 }).classify();
      outcomes.loaded += 1;
    } catch (error) {
      if (!(error instanceof FileError || error instanceof ArgumentError)) {
        throw new Error(`round ${round}: ${text.slice(0, 4000)}`, { cause: error });
      }
      outcomes.refused += 1;
    }
    expect(performance.now() - start, `round ${round}: ${text.slice(0, 4000)}`).toBeLessThan(20_000);
  }
  expect(outcomes.loaded).toBeGreaterThan(10);
  expect(outcomes.refused).toBeGreaterThan(500);
});

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const junk: readonly Json[] = [
  null,
  true,
  -1,
  0,
  1e9,
  1.5,
  2 ** 53,
  '',
  'x',
  '(a+)+$',
  [],
  [[]],
  {},
  { type: 'Sequence' },
];

/** Replaces, drops or doubles something somewhere inside. */
function mutateJson(value: Json, random: SeededSource): Json {
  if (typeof value !== 'object' || value === null || integerBelow(random, 6) === 0) {
    return junk[integerBelow(random, junk.length)] as Json;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return [junk[integerBelow(random, junk.length)] as Json];
    const place = integerBelow(random, value.length);
    if (integerBelow(random, 4) === 0)
      return value.toSpliced(place, integerBelow(random, 2), ...value.slice(place, place + 1));
    return value.with(place, mutateJson(value[place] as Json, random));
  }
  const keys = Object.keys(value);
  const key = keys[integerBelow(random, keys.length || 1)] ?? 'new';
  if (integerBelow(random, 8) === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  return { ...value, [key]: mutateJson(value[key] ?? null, random) };
}

function mutateText(text: string, random: SeededSource): string {
  const place = integerBelow(random, text.length);
  const kinds = [
    () => text.slice(0, place),
    () => text.slice(0, place) + text.slice(place + 1 + integerBelow(random, 9)),
    () => `${text.slice(0, place)}${String.fromCharCode(integerBelow(random, 256))}${text.slice(place)}`,
  ];
  return (kinds[integerBelow(random, kinds.length)] as () => string)();
}
