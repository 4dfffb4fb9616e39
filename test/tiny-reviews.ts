// A task that a tiny model learns in seconds: texts with a are good, texts with b are bad.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TinyName, writeTiny } from './models/tiny-models.js';

/** Text and label, separated by a tab. */
export const review = (i: number): string =>
  `${i % 2 === 0 ? 'a a' : 'b b'} ${'c '.repeat(i % 5)}\t${i % 2 === 0 ? 'good' : 'bad'}`;

/** Writes a model without a classifier and a data set of 40 training and 10 validation examples below the root. */
export async function writeReviews(root: string, name: TinyName = 'bert'): Promise<void> {
  await writeTiny(join(root, 'model'), name, { without: /^classifier/ });
  const data = join(root, 'data');
  mkdirSync(data);
  const write = (name: string, count: number) =>
    writeFileSync(
      join(data, name),
      ['sentence\tlabel', ...Array.from({ length: count }, (_, i) => review(i))].join('\n'),
    );
  write('train.tsv', 40);
  write('dev.tsv', 10);
}
