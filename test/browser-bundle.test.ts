// epsilens/privacy, epsilens/mechanisms and epsilens/random in a browser: bundled without Node modules, native libraries or data
// packages, and computing there what they compute in Node.

import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { afterAll, describe, expect, it } from 'vitest';
import * as mechanisms from '../src/mechanisms/public.js';
import * as privacy from '../src/privacy/public.js';
import * as random from '../src/random/public.js';
import { startBrowser } from './start-browser.js';

const source = join(import.meta.dirname, '..', 'src');
const rooms = ['privacy', 'mechanisms', 'random'] as const;

/** A script that sets a global variable of the room's name. */
async function bundle(room: (typeof rooms)[number]): Promise<OutputChunk> {
  const complaints: string[] = [];
  const build = await rolldown({
    input: join(source, room, 'public.ts'),
    platform: 'browser',
    onLog: (_, { message }) => complaints.push(message),
  });
  const { output } = await build.generate({ format: 'iife', name: room, minify: true });
  await build.close();
  expect(complaints).toEqual([]);
  expect(output.length).toBe(1);
  return output[0];
}

const bundles = new Map<string, OutputChunk>();
for (const room of rooms) bundles.set(room, await bundle(room));
const codeOf = (room: string) => (bundles.get(room) as OutputChunk).code;

/** Packages in a bundle, those of one scope counted once. */
const packagesIn = (room: string) =>
  new Set((bundles.get(room) as OutputChunk).moduleIds.flatMap((id) => /node_modules\/([^/]+)/.exec(id)?.[1] ?? []));

/** Runs in Node, in a bare context and in a browser, so it sees nothing but its arguments. */
async function compute(
  { dpSgd, findNoise, pldAccountant, privacyStatement, rdpAccountant }: typeof privacy,
  { directionMechanism, drawDirectionSum, gaussianMechanism, lowerBoundEpsilon }: typeof mechanisms,
  { fillNormal, seededSource }: typeof random,
) {
  const event = dpSgd({ sampleRate: 0.01, noiseMultiplier: 1, steps: 1000 });
  const pld = pldAccountant().compose(event).epsilon(1e-5);
  const seeded = (name: string) => seededSource('browser').stream(name);
  const sum = await drawDirectionSum(seeded('sum'), {
    dimension: 8,
    concentration: 5,
    gram: Float64Array.of(1, 0, 0, 1),
    products: (noise) => noise.subarray(0, 2),
  });
  const scores = (name: string, mean: number) => fillNormal(seeded(name), new Float64Array(500), { mean });
  return {
    rdp: rdpAccountant().compose(event).epsilon(1e-5).epsilon,
    pld: [pld.lower, pld.epsilon],
    noise: findNoise({
      accountant: 'rdp',
      eventFor: (noiseMultiplier) => dpSgd({ sampleRate: 0.01, noiseMultiplier, steps: 1000 }),
      target: { epsilon: 1, delta: 1e-5 },
    }),
    statement: privacyStatement(event, pld, { records: 60_000 }),
    gaussian: [
      ...gaussianMechanism({ epsilon: 1, delta: 1e-5, sensitivity: 2 }).release(
        seeded('gaussian'),
        Float64Array.of(3, 4),
      ),
    ],
    direction: [
      ...directionMechanism({ dimension: 4, concentration: 3 }).release(
        seeded('direction'),
        Float64Array.of(0.6, 0, -0.8, 0),
      ),
    ],
    sum: [...sum.coefficients, sum.noiseScale],
    normal: fillNormal(seeded('normal'), new Float64Array(50_000)).reduce((total, value) => total + value, 0),
    proved: lowerBoundEpsilon(scores('first', 3), scores('second', 0)).epsilonLowerBound,
  };
}

/** Private noise: unpredictable, so only its shape can be compared. */
function drawSecretly({ gaussianMechanism }: typeof mechanisms, { cryptographicSource }: typeof random): boolean {
  const mechanism = gaussianMechanism({ epsilon: 1, delta: 1e-5, sensitivity: 1 });
  const draw = () => mechanism.release(cryptographicSource(), new Float64Array(4));
  const [one, other] = [draw(), draw()];
  return one.every((value, i) => Number.isFinite(value) && value !== other[i]);
}

type Results = Awaited<ReturnType<typeof compute>>;
const inNode: Results = await compute(privacy, mechanisms, random);
const computeCode = `(${compute})(privacy, mechanisms, random)`;
const drawCode = `(${drawSecretly})(mechanisms, random)`;

describe('a bundle for browsers', () => {
  it.each(rooms)('of epsilens/%s imports nothing and holds no other package than @stdlib', (room) => {
    const { imports, dynamicImports, code } = bundles.get(room) as OutputChunk;
    expect([...imports, ...dynamicImports]).toEqual([]);
    expect(code).not.toMatch(/["'`]node:|\brequire\(|\bBuffer\b/);
    // The beta quantiles behind lowerBoundEpsilon bring two packages of their own.
    const allowed = room === 'mechanisms' ? ['@stdlib', 'debug', 'ms'] : ['@stdlib'];
    expect([...packagesIn(room)].sort()).toEqual(allowed);
  });

  it('of epsilens/privacy is small', () => {
    expect(gzipSync(codeOf('privacy')).length).toBeLessThan(40_000);
  });

  it('computes and draws the same without Node', async () => {
    const context = createContext({ crypto, performance, TextEncoder });
    for (const room of rooms) runInContext(codeOf(room), context);
    expect(runInContext('[typeof process, typeof require, typeof Buffer]', context).join()).toBe(
      'undefined,undefined,undefined',
    );
    const text = await runInContext(`${computeCode}.then(JSON.stringify)`, context);
    expect(JSON.parse(text)).toEqual(inNode);
    expect(runInContext(drawCode, context)).toBe(true);
  });

  it('gives figures that make sense', () => {
    expect(inNode.pld[1]).toBeLessThan(inNode.rdp);
    expect(inNode.noise).toBeGreaterThan(1);
    expect(Math.hypot(...inNode.direction)).toBeCloseTo(1, 10);
    expect(inNode.proved).toBeGreaterThan(1);
  });
});

const browser = await startBrowser();
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('the bundles in Chromium', () => {
  it('compute and draw the same', async () => {
    const page = await (browser as NonNullable<typeof browser>).newPage();
    for (const room of rooms) await page.addScriptTag({ content: codeOf(room) });
    const { statement, gaussian, normal, ...figures } = (await page.evaluate(computeCode)) as Results;
    // Seeded noise is the same on every platform, to the last bit.
    expect({ statement, gaussian, normal }).toEqual({
      statement: inNode.statement,
      gaussian: inNode.gaussian,
      normal: inNode.normal,
    });
    // Math.exp and Math.log of another engine may differ in the last bit, which the sums of the pld accountant magnify.
    for (const [name, value] of Object.entries(figures)) {
      const expected = [inNode[name as keyof typeof figures]].flat().map(Number);
      const found = [value].flat().map(Number);
      const errors = expected.map((number, i) => Math.abs((found[i] as number) / number - 1));
      expect(Math.max(...errors), name).toBeLessThan(name === 'pld' ? 1e-6 : 1e-9);
    }
    expect(await page.evaluate(drawCode)).toBe(true);
  });
});
