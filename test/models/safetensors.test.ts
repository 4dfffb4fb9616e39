// Reading and writing safetensors: valid files are restored, problems are named.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { compile, fileConstant, input, matMul } from '../../src/engine/index.js';
import { openSafetensors, readTensor, writeSafetensors } from '../../src/models/index.js';

const folder = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

/** A file with any header and data. */
function forge(name: string, header: unknown, data: number, length?: bigint): string {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(length ?? BigInt(text.length));
  writeFileSync(at(name), Buffer.concat([start, text, Buffer.alloc(data)]));
  return at(name);
}
const entry = (start: number, end: number, shape = [(end - start) / 4]) => ({
  dtype: 'F32',
  shape,
  data_offsets: [start, end],
});

describe('safetensors', () => {
  const matrix = Float32Array.of(1, -2, 0.5, 4, 65504, -0.125);

  it('are read as they were written', async () => {
    const path = at('whole.safetensors');
    await writeSafetensors(
      path,
      {
        plain: { shape: [2, 3], data: matrix },
        half: { shape: [6], data: matrix, dtype: 'F16' },
        brain: { shape: [3, 2, 1], data: Float32Array.of(1, -2, 0.5, 4, 65536, -0.125), dtype: 'BF16' },
        scalar: { shape: [], data: Float32Array.of(7) },
        empty: { shape: [0, 4], data: new Float32Array(0) },
      },
      { format: 'pt' },
    );
    const file = await openSafetensors(path);
    expect(file.metadata).toEqual({ format: 'pt' });
    expect([...file.tensors.keys()]).toEqual(['plain', 'half', 'brain', 'scalar', 'empty']);
    expect(file.tensors.get('half')).toMatchObject({ dtype: 'F16', shape: [6], length: 12 });
    expect(await readTensor(file, 'plain')).toEqual(matrix);
    expect(await readTensor(file, 'half')).toEqual(matrix);
    expect(await readTensor(file, 'brain')).toEqual(Float32Array.of(1, -2, 0.5, 4, 65536, -0.125));
    expect(await readTensor(file, 'scalar')).toEqual(Float32Array.of(7));
    expect(await readTensor(file, 'empty')).toEqual(new Float32Array(0));
    await expect(readTensor(file, 'lost')).rejects.toThrow('no tensor lost');
  });

  it('are read in place by a program', async () => {
    const path = at('place.safetensors');
    await writeSafetensors(path, { w: { shape: [2, 3], data: matrix } });
    const file = await openSafetensors(path);
    const { offset = -1, shape = [] } = file.tensors.get('w') ?? {};
    const program = await compile({ y: matMul(input('x', [1, 2]), fileConstant({ path: file.path, offset }, shape)) });
    expect((await program.run({ x: Float32Array.of(1, 1) })).y).toEqual(Float32Array.of(5, 65502, 0.375));
    await program.close();
  });

  it('may be read when it is their turn, and leave nothing if that fails', async () => {
    const path = join(folder, 'lazy.safetensors');
    const order: string[] = [];
    const lazy = (name: string, numbers: readonly number[]) => ({
      shape: [numbers.length],
      data: async () => {
        order.push(name);
        return Float32Array.from(numbers);
      },
    });
    await writeSafetensors(path, { a: lazy('a', [1, 2]), b: { ...lazy('b', [3]), dtype: 'F16' }, c: lazy('c', [4]) });
    const file = await openSafetensors(path);
    expect(order).toEqual(['a', 'b', 'c']);
    expect([await readTensor(file, 'a'), await readTensor(file, 'b'), await readTensor(file, 'c')]).toEqual([
      Float32Array.of(1, 2),
      Float32Array.of(3),
      Float32Array.of(4),
    ]);
    const broken = join(folder, 'broken-lazy.safetensors');
    const tensors = { a: lazy('a', [1]), b: lazy('b', [Number.NaN]) };
    await expect(writeSafetensors(broken, tensors)).rejects.toThrow('tensor b holds NaN at element 0');
    expect(readdirSync(folder).filter((name) => name.startsWith('broken-lazy'))).toEqual([]);
    const short = { a: { shape: [2], data: async () => Float32Array.of(1) } };
    await expect(writeSafetensors(broken, short)).rejects.toThrow('expected 2 numbers for [2], got 1');
  });

  it('are not written if a number is not finite or does not fit', async () => {
    const path = at('never.safetensors');
    const one = (number: number, dtype: 'F32' | 'F16') =>
      writeSafetensors(path, { w: { shape: [1], data: Float32Array.of(number), dtype } });
    await expect(one(Number.NaN, 'F32')).rejects.toThrow('tensor w holds NaN at element 0');
    await expect(one(70000, 'F16')).rejects.toThrow('tensor w: 70000 at element 0 is too large for F16');
    await expect(writeSafetensors(path, { w: { shape: [2], data: matrix } })).rejects.toThrow(
      'expected 2 numbers for [2], got 6',
    );
    writeFileSync(at('file'), '');
    await expect(writeSafetensors(at('file/below'), { w: { shape: [6], data: matrix } })).rejects.toThrow('file');
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it.each([
    ['missing', () => at('missing'), 'no such file'],
    [
      'tiny',
      () => {
        writeFileSync(at('tiny'), 'abc');
        return at('tiny');
      },
      'got 3 bytes',
    ],
    ['long', () => forge('long', {}, 0, 1n << 40n), 'expected a header of at most 2 bytes'],
    [
      'pickle',
      () => {
        writeFileSync(at('pickle'), Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(99, 255)]));
        return at('pickle');
      },
      'pickle file, which can run code',
    ],
    ['text', () => forge('text', 'not JSON at all', 0), 'the header is not JSON'],
    ['list', () => forge('list', [], 0), 'expected a JSON object'],
    ['metadata', () => forge('metadata', { __metadata__: { a: 1 } }, 0), 'map text to text'],
    ['dtype', () => forge('dtype', { w: { ...entry(0, 8), dtype: 'F33' } }, 8), 'tensor w: expected a type of F64'],
    [
      'shape',
      () => forge('shape', { w: { ...entry(0, 8), shape: [-2] } }, 8),
      'tensor w: expected a shape of whole numbers',
    ],
    [
      'offsets',
      () => forge('offsets', { w: { ...entry(0, 8), data_offsets: [8, 0] } }, 8),
      'expected two rising offsets',
    ],
    ['size', () => forge('size', { w: entry(0, 8, [3]) }, 8), 'tensor w: expected 12 bytes for F32[3], got 8'],
    ['overlap', () => forge('overlap', { a: entry(0, 8), b: entry(4, 12) }, 12), 'tensor b overlaps'],
    ['gap', () => forge('gap', { a: entry(0, 8), b: entry(12, 16) }, 16), 'tensor b leaves a gap of 4 bytes'],
    ['short', () => forge('short', { a: entry(0, 8) }, 4), /expected \d+ bytes by its header, got \d+/],
    ['extra', () => forge('extra', { a: entry(0, 8) }, 9), /expected \d+ bytes by its header, got \d+/],
  ] as const)('that are invalid are refused: %s', async (_, make, message) => {
    const path = make();
    const opened = openSafetensors(path);
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.toBeInstanceOf(FileError);
    await expect(opened).rejects.toThrow(path);
  });

  it('with NaN inside are refused with the name of the tensor', async () => {
    const path = forge('nan', { good: entry(0, 4), bad: entry(4, 12) }, 12);
    const bytes = readFileSync(path);
    bytes.writeFloatLE(Number.NaN, bytes.length - 4);
    writeFileSync(path, bytes);
    const file = await openSafetensors(path);
    expect(await readTensor(file, 'good')).toEqual(Float32Array.of(0));
    await expect(readTensor(file, 'bad')).rejects.toThrow('tensor bad holds NaN at element 1');
  });
});

const minilm = join(import.meta.dirname, '..', '..', '..', 'shared', 'models', 'minilm-l6', 'model.safetensors');
describe.skipIf(!existsSync(minilm))('a real checkpoint (only where ../shared is)', () => {
  it('opens, and its F16 weights widen to finite numbers of a plausible size', async () => {
    const file = await openSafetensors(minilm);
    expect(file.tensors.get('embeddings.word_embeddings.weight')).toMatchObject({ dtype: 'F16', shape: [30522, 384] });
    const gain = await readTensor(file, 'embeddings.LayerNorm.weight');
    const mean = gain.reduce((sum, number) => sum + number, 0) / gain.length;
    expect(gain.length).toBe(384);
    expect(mean).toBeGreaterThan(0.1);
    expect(mean).toBeLessThan(2);
  });
});
