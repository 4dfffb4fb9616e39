// Ten thousand damaged files: each is read or refused with a FileError, and none hangs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { openSafetensors, readTensor, writeSafetensors } from '../../src/models/index.js';
import { integerBelow, seededSource } from '../../src/random/index.js';

it('survives 10,000 mutated safetensors files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-fuzz-'));
  const path = join(folder, 'model.safetensors');
  const tensor = { shape: [4], data: Float32Array.of(1, 2, 3, 4) };
  await writeSafetensors(
    path,
    { a: tensor, b: { ...tensor, dtype: 'F16' }, c: { ...tensor, dtype: 'BF16' } },
    { format: 'pt' },
  );
  const whole = await readFile(path);
  const random = seededSource('safetensors');
  const outcomes = { read: 0, refused: 0 };
  for (let round = 0; round < 10_000; round++) {
    const bytes = mutate(whole, random);
    writeFileSync(path, bytes);
    try {
      const file = await openSafetensors(path);
      for (const name of file.tensors.keys()) await readTensor(file, name);
      outcomes.read += 1;
    } catch (error) {
      if (!(error instanceof FileError)) throw new Error(`round ${round}: ${bytes.toString('hex')}`, { cause: error });
      outcomes.refused += 1;
    }
  }
  rmSync(folder, { recursive: true });
  expect(outcomes.read).toBeGreaterThan(100);
  expect(outcomes.refused).toBeGreaterThan(1000);
});

/** Flips, inserts, drops or repeats a few bytes, or cuts the file off. */
function mutate(whole: Buffer, random: ReturnType<typeof seededSource>): Buffer {
  let bytes: Buffer = Buffer.from(whole);
  for (let count = 1 + integerBelow(random, 3); count > 0; count--) {
    const place = integerBelow(random, bytes.length || 1);
    const piece = Buffer.from([integerBelow(random, 256)]);
    const kinds = [
      () => Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place + 1)]),
      () => Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place)]),
      () => Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]),
      () => Buffer.concat([bytes.subarray(0, place), bytes.subarray(Math.max(0, place - 9))]),
      () => bytes.subarray(0, place),
    ];
    bytes = (kinds[integerBelow(random, kinds.length)] as () => Buffer)();
  }
  return bytes;
}
