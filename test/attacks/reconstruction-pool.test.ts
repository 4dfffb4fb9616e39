// Clients and servers that are kept open: the same results, and no more memory than allowed.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  findAttack,
  type GradientAttack,
  openReconstruction,
  openReconstructionPool,
  type ReconstructionOptions,
} from '../../src/attacks/index.js';
import { readOptions } from '../../src/checks/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const span = findAttack('span') as GradientAttack;
let [model, same]: [Model, Model] = [undefined as never, undefined as never];
beforeAll(async () => {
  const folder = await writeTiny(join(root, 'bert'), 'bert');
  model = await loadModel(folder, { numLabels: 2, newHead: true });
  same = await loadModel(folder, { numLabels: 2, newHead: true });
});

const servers = { opened: 0, closed: 0 };
/** The span attack, with its servers counted. */
const counted: GradientAttack = {
  ...span,
  open: async (setting) => {
    servers.opened++;
    const server = await span.open(setting);
    return {
      ...server,
      close: async () => {
        servers.closed++;
        await server.close();
      },
    };
  },
};

function task(level: number, changes: Partial<ReconstructionOptions> = {}): ReconstructionOptions {
  return {
    attack: counted,
    options: readOptions(span.options, {}),
    model,
    examples: {
      inputIds: ['a b c', 'd e f g', 'h i'].map((text) => model.tokenizer.encode(text)),
      labels: [0, 1, 1],
    },
    shared: 'all',
    protection: { mechanism: 'directional', scope: 'joint', concentration: level },
    seed: 6,
    noise: (batch) => seededSource(`noise ${level} ${batch}`),
    ...changes,
  };
}

async function attackAll(open: typeof openReconstruction, options: ReconstructionOptions) {
  const reconstruction = await open(options);
  const found = [];
  for (const batch of reconstruction.batches.keys()) {
    const { seconds: _, ...rest } = await reconstruction.attackBatch(batch);
    found.push(rest);
  }
  await reconstruction.close();
  return found;
}

const numbers = async (): Promise<number> => {
  const { shared, close } = await openReconstruction(task(1));
  await close();
  return shared.numbers;
};

describe('a pool of reconstructions', () => {
  it.each([
    ['with room for everything', 100, 1],
    ['with room for client and server, and one gradient', 5, 1],
    ['without room', 0, 3],
  ])('gives what new ones give, %s', async (_, arrays, opened) => {
    const pool = openReconstructionPool(arrays * 4 * (await numbers()));
    servers.opened = 0;
    const found = [];
    for (const level of [1e6, 100, 1e6]) found.push(await attackAll(pool.open, task(level)));
    expect(servers.opened).toBe(opened);
    await pool.close();
    expect(found[2]).toEqual(found[0]);
    expect(found[1]).not.toEqual(found[0]);
    expect(found[1]).toEqual(await attackAll(openReconstruction, task(100)));
    expect(found[0]).toEqual(await attackAll(openReconstruction, task(1e6)));
  });

  it('opens others for another model, seed, text or selection, and closes all', async () => {
    Object.assign(servers, { opened: 0, closed: 0 });
    const pool = openReconstructionPool();
    const changes: Partial<ReconstructionOptions>[] = [
      {},
      { seed: 7 },
      { shared: 'read' },
      { examples: { inputIds: [model.tokenizer.encode('j k')], labels: [0] } },
      { model: same },
    ];
    for (const one of changes) await attackAll(pool.open, task(100, one));
    expect(servers.opened).toBe(changes.length);
    // The same task on another model replaces the one on the first.
    expect(servers.closed).toBe(1);
    await pool.close();
    expect(servers.closed).toBe(changes.length);
  });

  it('closes what was used longest ago where the memory does not hold all', async () => {
    // Room for two without gradients: the gradients of the first give way to the second, and then both stay.
    const pool = openReconstructionPool(2 * 4 * 4 * (await numbers()));
    Object.assign(servers, { opened: 0, closed: 0 });
    for (const seed of [1, 2, 1, 2, 1, 2, 1]) await attackAll(pool.open, task(100, { seed }));
    expect(servers).toEqual({ opened: 3, closed: 1 });
    await attackAll(pool.open, task(100, { seed: 3 }));
    expect(servers).toEqual({ opened: 4, closed: 2 });
    await attackAll(pool.open, task(100, { seed: 1 }));
    expect(servers).toEqual({ opened: 4, closed: 2 });
    await pool.close();
    expect(servers).toEqual({ opened: 4, closed: 4 });
  });

  it('opens a second one where the first is in use', async () => {
    Object.assign(servers, { opened: 0, closed: 0 });
    const pool = openReconstructionPool();
    const [first, second] = [await pool.open(task(100)), await pool.open(task(1e6))];
    expect(servers.opened).toBe(2);
    const [one, other] = await Promise.all([first.attackBatch(0), second.attackBatch(0)]);
    expect(one.cosine.all).toBeLessThan(other.cosine.all);
    await first.close();
    await second.close();
    expect(servers.closed).toBe(1);
    await pool.close();
    expect(servers.closed).toBe(2);
  });
});
