// A study of seconds: a tiny model, made-up texts of two classes.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Study } from '../../src/calibration/index.js';
import { studyFromYaml } from '../../src/calibration/index.js';
import { integerBelow, seededSource } from '../../src/random/index.js';
import { writeTiny } from '../models/tiny-models.js';

/** Words of the first class have letters from a to m, those of the second from n to z. */
function writeTexts(path: string, count = 60): void {
  const random = seededSource('texts');
  const word = (label: number) =>
    Array.from({ length: 2 }, () => String.fromCharCode(97 + 13 * label + integerBelow(random, 13))).join('');
  const lines = Array.from(
    { length: count },
    (_, i) => `${word(i % 2)} ${word(i % 2)} ${word(i % 2)},${'no yes'.split(' ')[i % 2]}`,
  );
  writeFileSync(path, `text,label\n${lines.join('\n')}\n`);
}

export async function tinyStudy(root: string, changes = ''): Promise<Study> {
  const [model, data] = [join(root, 'model'), join(root, 'texts.csv')];
  await writeTiny(model, 'bert', { without: /^classifier/ });
  writeTexts(data);
  return studyFromYaml(
    `
name: tiny
model: ${model}
data: {source: ${data}, maxTokens: 10}
training: {trainable: pooler+classifier, epochs: 2, batchSize: 16}
mechanisms:
  gaussian: {noise: [0.001, 1]}
  directional: {concentration: [10000]}
attacks:
  span: {count: 3, maxTokens: 8}
  membership: {}
seeds: [1, 2]
${changes}`,
    'tiny',
  );
}
