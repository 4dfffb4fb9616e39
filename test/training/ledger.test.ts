// The ledger: on disk before a step is made, never shorter than the run, never used for another plan.

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { type LedgerOptions, makePlan, openLedger, type Plan } from '../../src/training/index.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
afterAll(() => rmSync(root, { recursive: true }));
let files = 0;
const fresh = () => join(root, `${++files}.jsonl`);

const planOf = (noiseMultiplier: number, batchSize = 10): Plan =>
  makePlan({ mechanism: 'gaussian', examples: 100, epochs: 2, batchSize, noiseMultiplier, accountant: 'rdp' });
const plan = planOf(1);
const data = 'digest of the data';
const settings = { seed: 1, trained: ['größe.weight'] };
const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1);

async function withLedger<T>(
  path: string,
  options: Partial<LedgerOptions>,
  use: (ledger: Awaited<ReturnType<typeof openLedger>>) => Promise<T> | T,
): Promise<T> {
  const ledger = await openLedger(path, { plan, data, settings, resume: true, ...options });
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}

const record = (path: string, steps: readonly number[], options: Partial<LedgerOptions> = {}) =>
  withLedger(path, options, async (ledger) => {
    for (const step of steps) await ledger.record({ step });
  });
const entriesOf = (path: string) => withLedger(path, {}, ({ entries }) => entries.map(({ step }) => step));

describe('a ledger', () => {
  it('has the entry on disk when record resolves', async () => {
    const path = fresh();
    await withLedger(path, { resume: false }, async (ledger) => {
      expect(linesOf(path).length).toBe(1);
      for (let step = 0; step < 5; step++) {
        await ledger.record({ step });
        expect(JSON.parse(linesOf(path).at(-1) as string)).toEqual({ step, session: expect.any(String) });
        expect(ledger.entries.length).toBe(step + 1);
      }
    });
    const head = JSON.parse(linesOf(path)[0] as string);
    expect(head).toMatchObject({ ledger: 3, data, plan: { noiseMultiplier: 1, batchSize: 10 }, settings });
  });

  it('continues where it was, and counts repeated steps again', async () => {
    const path = fresh();
    await record(path, [0, 1, 2]);
    const before = readFileSync(path, 'utf8');
    await record(path, [2, 3]);
    expect(await entriesOf(path)).toEqual([0, 1, 2, 2, 3]);
    expect(readFileSync(path, 'utf8').startsWith(before)).toBe(true);
  });

  it('cut off at any byte opens, and no complete entry is lost', async () => {
    const path = fresh();
    const steps = [0, 1, 1, 2, 9, 10, 11];
    await record(path, steps);
    const whole = readFileSync(path);
    const head = whole.indexOf('\n') + 1;
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      const text = whole.subarray(head, Math.max(head, length)).toString();
      const kept = steps.slice(0, text.split('\n').length - 1);
      const entries = await entriesOf(path);
      // A torn line is counted too: its step number may be lost, but not the entry.
      const torn = text !== '' && !text.endsWith('\n');
      expect(entries.slice(0, kept.length)).toEqual(kept);
      expect(entries.length).toBe(kept.length + Number(torn));
      expect(await entriesOf(path)).toEqual(entries);
      expect(linesOf(path).length).toBe(1 + entries.length);
      // Before the head is complete nothing was released: a new run begins, with an identity of its own.
      const withoutRun = (line: string) => (length < head ? line.replace(/"run":"[\da-f-]+"/, '') : line);
      expect(withoutRun(linesOf(path)[0] as string)).toBe(withoutRun(whole.subarray(0, head - 1).toString()));
    }
  });

  it('is not overwritten by a new run', async () => {
    const path = fresh();
    await record(path, [0]);
    const before = readFileSync(path, 'utf8');
    await expect(openLedger(path, { plan, data, settings, resume: false })).rejects.toThrow('a ledger exists already');
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each<[string, Partial<LedgerOptions>, string]>([
    ['noise', { plan: planOf(2) }, 'started with noiseMultiplier = 1, this one has 2'],
    ['batches', { plan: planOf(1, 20) }, 'started with batchSize = 10, this one has 20'],
    ['settings', { settings: { ...settings, seed: 2 } }, 'started with seed = 1, this one has 2'],
    ['data', { data: 'digest of other data' }, 'the training data has changed since the run began'],
    ['no settings', { settings: {} }, 'started with seed = 1, this one has undefined'],
    [
      'mechanism',
      { plan: makePlan({ mechanism: 'directional', examples: 100, epochs: 2, batchSize: 10, concentration: 5 }) },
      'started with mechanism = "gaussian", this one has "directional"',
    ],
  ])('of other %s is refused with the key, and left unchanged', async (_, options, message) => {
    const path = fresh();
    await record(path, [0, 1]);
    const before = readFileSync(path, 'utf8');
    const opening = openLedger(path, { plan, data, settings, resume: true, ...options });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toBeInstanceOf(FileError);
    await expect(opening).rejects.toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each<[string, (lines: string[]) => void, string]>([
    ['half a line', (lines) => lines.splice(2, 1, '{"st'), 'line 3: expected JSON, got "{\\"st"'],
    ['an empty line', (lines) => lines.splice(2, 1, ''), 'line 3: expected JSON'],
    ['no step', (lines) => lines.splice(2, 1, '{}'), 'line 3: expected a step number'],
    ['a step that is no number', (lines) => lines.splice(2, 1, '{"step":-1}'), 'line 3: expected a step number'],
    ['zeros', (lines) => lines.splice(2, 1, '\0\0\0\0'), 'line 3: expected JSON'],
    ['another head', (lines) => lines.splice(0, 1, '{"step":0}'), 'expected a ledger of version 3'],
    ...[1, 2].map((version): [string, (lines: string[]) => void, string] => [
      `the head of version ${version}`,
      (lines) => lines.splice(0, 1, `{"ledger":${version},"plan":{"lotSize":10},"settings":{}}`),
      'was written by an earlier version of epsilens, which recorded less: finish the run with that version, or start a new run',
    ]),
    ['no head', (lines) => lines.splice(0, 1), 'expected a ledger of version 3'],
  ])('with %s is refused', async (_, damage, message) => {
    const path = fresh();
    await record(path, [0, 1, 2]);
    const lines = linesOf(path);
    damage(lines);
    const text = `${lines.join('\n')}\n`;
    writeFileSync(path, text);
    await expect(openLedger(path, { plan, data, settings, resume: true })).rejects.toThrow(message);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('a ledger that others write to as well', () => {
  it('counts their steps, not only its own', async () => {
    const path = fresh();
    await withLedger(path, {}, async (ledger) => {
      await ledger.record({ step: 0 });
      // As if the lock had failed.
      writeFileSync(path, '{"step":1,"session":"other"}\n{"step":2,"session":"other"}\n', { flag: 'a' });
      await ledger.record({ step: 1 });
      expect(ledger.entries.map(({ step }) => step)).toEqual([0, 1, 2, 1]);
      writeFileSync(path, '{"step":3,"session":"other"}\n', { flag: 'a' });
      await ledger.refresh();
      expect(ledger.entries.map(({ step }) => step)).toEqual([0, 1, 2, 1, 3]);
    });
    expect(await entriesOf(path)).toEqual([0, 1, 2, 1, 3]);
  });

  it('stops the run if it was cut', async () => {
    const path = fresh();
    await withLedger(path, {}, async (ledger) => {
      await ledger.record({ step: 0 });
      await ledger.record({ step: 1 });
      writeFileSync(path, `${linesOf(path).slice(0, 2).join('\n')}\n`);
      await expect(ledger.record({ step: 2 })).rejects.toThrow('the ledger was cut or replaced');
    });
  });
});

describe('a ledger that is renamed or removed under its run', () => {
  it.each([
    ['replaced by an older copy', (path: string) => renameSync(`${path}.old`, path)],
    ['removed', (path: string) => rmSync(path)],
  ])('%s: stops the run', async (_, change) => {
    const path = fresh();
    await record(path, [0]);
    writeFileSync(`${path}.old`, readFileSync(path));
    await withLedger(path, {}, async (ledger) => {
      await ledger.record({ step: 1 });
      change(path);
      await expect(ledger.record({ step: 2 })).rejects.toThrow('the ledger was cut or replaced');
    });
  });
});

describe('the identity of a run', () => {
  it('stays with the run, and every process signs its own lines', async () => {
    const path = fresh();
    const runs = [];
    for (const step of [0, 1]) {
      runs.push(
        await withLedger(path, {}, async ({ run, record: write }) => {
          await write({ step });
          return run;
        }),
      );
    }
    expect(runs[0]).toMatch(/^[\da-f-]{36}$/);
    expect(runs[1]).toBe(runs[0]);
    const [one, two] = linesOf(path)
      .slice(1)
      .map((line) => JSON.parse(line).session);
    expect(one).not.toBe(two);
    const other = await withLedger(fresh(), {}, ({ run }) => run);
    expect(other).not.toBe(runs[0]);
  });
});

describe('the lock of a ledger', () => {
  it('admits one process at a time, and is released', async () => {
    const path = fresh();
    await withLedger(path, {}, async () => {
      await expect(openLedger(path, { plan, data, settings, resume: true })).rejects.toThrow(
        'another process is working in this folder',
      );
    });
    await record(path, [0]);
    expect(await entriesOf(path)).toEqual([0]);
  });

  it('is released when opening fails', async () => {
    const path = fresh();
    await record(path, [0]);
    const opening = openLedger(path, { plan: planOf(2), data, settings, resume: true });
    await expect(opening).rejects.toThrow('noiseMultiplier');
    expect(await entriesOf(path)).toEqual([0]);
  });
});
