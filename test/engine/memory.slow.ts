// Native memory over thousands of runs and hundreds of programs, and with a large weight file.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { affine, compile, gelu, gradients, input, reduceSum, square, type Value } from '../../src/engine/index.js';

const megabytes = () => process.memoryUsage().rss / 2 ** 20;
const [rows, size] = [64, 256];

function network(scale: number) {
  const [x, w, b] = [input('x', [rows, size]), input('w', [size, size]), input('b', [size])];
  const loss = reduceSum(square(gelu(affine(x, w, b, { scale }))));
  const [dw, db] = gradients(loss, [w, b]) as [Value, Value];
  return { loss, dw, db };
}
const feeds = {
  x: new Float32Array(rows * size).fill(0.1),
  w: new Float32Array(size * size).fill(0.01),
  b: new Float32Array(size),
};

/** Growth between the first and the second half, in megabytes: steady memory gives about 0. */
async function growth(count: number, work: (index: number) => Promise<void>): Promise<number> {
  for (let index = 0; index < count / 2; index++) await work(index);
  globalThis.gc?.();
  const middle = megabytes();
  for (let index = count / 2; index < count; index++) await work(index);
  globalThis.gc?.();
  return megabytes() - middle;
}

describe('memory', () => {
  it('does not grow over 2,000 runs', async () => {
    const program = await compile(network(1));
    // Each run makes 260 kB of new arrays: a leak of them would be 250 MB.
    const grown = await growth(2000, async () => void (await program.run(feeds)));
    await program.close();
    expect(grown).toBeLessThan(40);
  });

  it('does not grow over 200 programs compiled, run and closed', async () => {
    const grown = await growth(200, async (index) => {
      const program = await compile(network(1 + index / 1000));
      await program.run(feeds);
      await program.close();
    });
    expect(grown).toBeLessThan(40);
  });
});

describe('a weight file of 440 MB', () => {
  const [matrices, inner, outer] = [48, 768, 3072];
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-slow-'));
  const path = join(folder, 'weights.bin');

  it('is loaded and run by two programs inside 1.5 GB, packed and shared', () => {
    const file = openSync(path, 'w');
    const matrix = Float32Array.from({ length: inner * outer }, (_, i) => (1 + Math.sin(i)) / inner);
    for (let index = 0; index < matrices; index++) {
      matrix[0] = index; // ONNX Runtime packs equal matrices only once
      writeSync(file, Buffer.from(matrix.buffer));
    }
    const engine = join(import.meta.dirname, '..', '..', 'dist', 'engine', 'index.js');
    const script = `
      import { compile, fileConstant, input, matMul, add } from ${JSON.stringify(engine)};
      const bytes = 4 * ${inner} * ${outer};
      const build = (scale) => {
        let x = input('x', [24, ${inner}]);
        for (let index = 0; index < ${matrices}; index += 2) {
          const weight = (n) => fileConstant({ path: ${JSON.stringify(path)}, offset: n * bytes }, [${inner}, ${outer}]);
          x = add(x, matMul(matMul(x, weight(index)), weight(index + 1), { transposeB: true, scale }));
        }
        return x;
      };
      const mode = process.argv[1];
      const programs = [await compile({ y: build(1e-6) }, { weights: mode }), await compile({ y: build(2e-6) }, { weights: mode })];
      for (const program of programs) {
        const { y } = await program.run({ x: new Float32Array(24 * ${inner}).fill(1) });
        if (!(y[0] > 1)) throw new Error('wrong result ' + y[0]);
      }
      process.stdout.write(String(process.resourceUsage().maxRSS / 1024));
    `;
    try {
      for (const mode of ['packed', 'shared']) {
        const peak = Number(
          execFileSync(process.execPath, ['--input-type=module', '-e', script, mode], { encoding: 'utf8' }),
        );
        process.stdout.write(`440 MB of weights, two programs, ${mode}: ${peak.toFixed(0)} MB at the peak\n`);
        expect(peak).toBeLessThan(1500);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
