// The store: whole rows, a reader beside the writer, a disk that is full.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/calibration/trials/store.js';
import { makeTrial } from '../../src/calibration/trials/trial.js';
import { makeRoot } from '../models/tiny-models.js';

const root = makeRoot();
const trial = (seed: number) =>
  makeTrial('features', { weights: `${seed}`, data: '', trainable: 'all', maxTokens: 8 }, [], `trial ${seed}`);
const outcome = (count = 3) => ({
  measurements: Array.from({ length: count }, (_, item) => ({ item, name: 'auc', value: item / 7 })),
  details: { some: ['thing'] },
});

describe('a store', () => {
  it('gives back what was recorded, once', () => {
    const store = openStore(join(root, 'a', 'store.db'));
    store.recordDone(trial(1), outcome(), 2);
    store.recordDone(trial(1), outcome(2), 3);
    store.recordFailed(trial(2), 'broken', 1);
    expect(store.find(trial(1).id)).toMatchObject({ state: 'done', seconds: 3, ...outcome(2) });
    expect(store.find(trial(2).id)).toMatchObject({ state: 'failed', error: 'broken', measurements: [] });
    expect(store.find(trial(3).id)).toBeUndefined();
    expect([...store.done()]).toEqual([trial(1).id]);
    store.forget(trial(1).id);
    expect(store.find(trial(1).id)).toBeUndefined();
    store.close();
  });

  it('can be read while it is written', () => {
    const path = join(root, 'b', 'store.db');
    const [writer, reader] = [openStore(path), openStore(path, { mustExist: true })];
    for (let seed = 0; seed < 20; seed++) {
      writer.recordDone(trial(seed), outcome(), 1);
      expect(reader.done().size).toBe(seed + 1);
    }
    reader.close();
    writer.close();
  });

  it('loses nothing when the disk is full', () => {
    const folder = join(root, 'small');
    mkdirSync(folder);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      console.info('skipped: a small file system cannot be mounted here');
      return;
    }
    try {
      const path = join(folder, 'store.db');
      const store = openStore(path);
      let [kept, message] = [0, ''];
      while (message === '' && kept < 1000) {
        try {
          store.recordDone(trial(kept), outcome(200), 1);
          kept++;
        } catch (error) {
          message = (error as Error).message;
        }
      }
      expect(message).toContain('the disk is full: make room');
      expect(kept).toBeGreaterThan(0);
      store.close();
      const again = openStore(path, { mustExist: true });
      expect(again.done().size).toBe(kept);
      expect(again.find(trial(0).id)?.measurements).toHaveLength(200);
      again.close();
      expect(existsSync(path)).toBe(true);
    } finally {
      execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
    }
  });

  it('of another layout is refused', () => {
    const path = join(root, 'c', 'store.db');
    openStore(path).close();
    const bytes = Buffer.from(execFileSync('cat', [path]));
    for (const [layout, writer] of [
      [1, 'epsilens 0.1'],
      [9, 'another version of epsilens'],
    ] as const) {
      bytes.writeUInt32BE(layout, 60); // user_version
      writeFileSync(path, bytes);
      expect(() => openStore(path)).toThrow(`a store of ${writer}: run the study again in another folder`);
    }
  });
});
