// A world of models: who is trained on what, that a model trained on some examples is the one trained on these alone, and that models are found again.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  assignExamples,
  evaluateWorld,
  findAttack,
  openWorld,
  truthOf,
  type WorldAttack,
  type WorldModel,
} from '../../src/attacks/index.js';
import { lossOfMargin, marginsOf } from '../../src/attacks/membership/margins.js';
import type { ModelSays } from '../../src/attacks/world/world.js';
import { readOptions } from '../../src/checks/index.js';
import { areaUnderRoc } from '../../src/metrics/index.js';
import { loadModel, selectParameters } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { adamW, makePlan, openTrainer, scheduleOf, trainClassifier } from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

describe('examples of a world', () => {
  it('paper: no example belongs to two models, parts have one size, and 5,704 over 22 are 259', () => {
    const models = assignExamples('paper', 5704, 11, seededSource(1));
    const all = models.flatMap(({ members, others }) => [...members, ...others]);
    expect(new Set(all).size).toBe(all.length);
    for (const { members, others } of models) expect([members.length, others.length]).toEqual([259, 259]);
    expect(assignExamples('paper', 68_221, 11, seededSource(1))[0]?.members).toHaveLength(3100);
  });

  it.each([
    [8, 1],
    [9, 1],
    [12, 3],
  ])('halves of %i models: each example is in half of those that are no targets (%i are)', (models, targets) => {
    const assigned = assignExamples('halves', 400, models, seededSource(2), [], targets);
    const times = new Array<number>(400).fill(0);
    for (const [model, { members, others }] of assigned.entries()) {
      expect([...members, ...others].sort((a, b) => a - b)).toEqual([...times.keys()]);
      if (model < targets) continue;
      for (const example of members) times[example] = (times[example] as number) + 1;
    }
    const rest = models - targets;
    for (const count of times) expect([Math.floor(rest / 2), Math.ceil(rest / 2)]).toContain(count);
    expect(times.reduce((sum, one) => sum + one, 0)).toBe((400 * rest) / 2);
    expect(assigned).toEqual(assignExamples('halves', 400, models, seededSource(2), [], targets));
  });

  it.each([
    [6, 1],
    [11, 1],
    [12, 4],
  ])(
    'halves of %i models do not tell by their number whether the target has an example (%i targets)',
    (models, targets) => {
      const assigned = assignExamples('halves', 4000, models, seededSource(3), [], targets);
      const has = assigned.map(({ members }) => new Set(members));
      const counts = { in: [] as number[], out: [] as number[] };
      for (let example = 0; example < 4000; example++) {
        const others = has.slice(1).filter((own) => own.has(example)).length;
        counts[has[0]?.has(example) ? 'in' : 'out'].push(others);
      }
      // 2,000 against 2,000: the deviation of the area is .009, and four of them are exceeded once in 16,000 times.
      expect(Math.abs(areaUnderRoc(counts.in, counts.out) - 0.5)).toBeLessThan(0.036);
      expect(Math.abs(counts.in.length - 2000)).toBeLessThan(130);
    },
  );

  it.each(['paper', 'halves'] as const)('%s: examples of one group stay together', (split) => {
    const groups = Array.from({ length: 300 }, (_, k) => (k % 3 === 0 ? undefined : `g${k % 40}`));
    const models = assignExamples(split, 300, 6, seededSource(3), groups);
    for (const { members, others } of models) {
      const named = (side: readonly number[]) => new Set(side.flatMap((k) => groups[k] ?? []));
      const [inside, outside] = [named(members), named(others)];
      expect([...inside].filter((group) => outside.has(group))).toEqual([]);
      expect(members.length).toBeGreaterThan(15);
      expect(new Set([...members, ...others]).size).toBe(members.length + others.length);
    }
    if (split === 'paper') {
      const all = models.flatMap(({ members, others }) => [...members, ...others]);
      expect(new Set(all).size).toBe(all.length);
    }
    const one = Array(300).fill('all');
    expect(() => assignExamples(split, 300, 6, seededSource(3), one)).toThrow('expected groups');
  });

  it('refuses worlds of one model, and too few examples', () => {
    expect(() => assignExamples('halves', 100, 1, seededSource(1))).toThrow('expected at least 2');
    expect(() => assignExamples('paper', 50, 11, seededSource(1))).toThrow(
      'expected at least 88 labelled examples for 11 models, got 50',
    );
  });
});

describe('models of a world', () => {
  const root = makeRoot();
  const data = {
    inputIds: Array.from({ length: 24 }, (_, i) => [2, 5 + (i % 7), 6 + (i % 5), 8 + (i % 3), 3]),
    labels: Array.from({ length: 24 }, (_, i) => (i % 3) % 2),
  };
  const distinct = {
    inputIds: Array.from({ length: 60 }, (_, i) => [
      2,
      5 + (i % 11),
      6 + (Math.floor(i / 5) % 9),
      8 + (i % 4),
      7 + (i % 13),
      3,
    ]),
    labels: Array.from({ length: 60 }, (_, i) => (i % 3) % 2),
  };
  const usual = { learningRate: 0.01, schedule: 'linear', warmup: 0.05 } as const;
  const open = async () => {
    const path = await writeTiny(join(root, 'model'), 'bert');
    return (seed: number) => loadModel(path, { numLabels: 2, newHead: true, seed });
  };
  const examples = [1, 4, 5, 9, 11, 14, 20, 23];
  const plan = makePlan({ mechanism: 'none', examples: 8, epochs: 3, batchSize: 4 });
  const optimizer = () => adamW({ learningRate: scheduleOf('linear', 0.01, { steps: plan.steps, warmup: 0.05 }) });

  it('trained on some examples of an open data set is trained on those alone', async () => {
    const model = await (await open())(1);
    const trainable = selectParameters(model, 'pooler+classifier');
    const some = {
      inputIds: examples.map((i) => data.inputIds[i] as number[]),
      labels: examples.map((i) => data.labels[i] as number),
    };
    const alone = await trainClassifier({
      model,
      trainable,
      data: { train: some },
      plan,
      optimizer: optimizer(),
      seed: 7,
    });
    const trainer = await openTrainer({ model, trainable, data: { train: data } });
    const among = await trainer.train({ examples, plan, optimizer: optimizer(), seed: 7 });
    for (const name of trainable)
      for (const [i, number] of (alone.parameters[name] as Float32Array).entries())
        expect(among.parameters[name]?.[i]).toBeCloseTo(number, 5);
    expect(among.train.loss).toBeCloseTo(alone.train.loss, 5);
    expect(among.train.accuracy).toBe(alone.train.accuracy);
    await expect(trainer.train({ examples: [0, 99], plan, optimizer: optimizer(), seed: 7 })).rejects.toThrow(
      'invalid examples: expected numbers from 0 to 23, got 99',
    );
    await expect(trainer.train({ examples: [0, 1], plan, optimizer: optimizer(), seed: 7 })).rejects.toThrow(
      'the plan is for 8 examples, the data has 2',
    );
    await trainer.close();
  });

  it('are found again, with the same numbers, and trained anew if anything about them changes', async () => {
    const modelFor = await open();
    const trainable = selectParameters(await modelFor(1), 'pooler+classifier');
    const folder = join(root, 'worlds');
    const others = [0, 2, 3, 6];
    const one: WorldModel = { members: examples, others, plan, seed: 3 };
    const ask = async (models: readonly WorldModel[], learningRate = 0.01) => {
      const training = { learningRate, schedule: 'linear', warmup: 0.05 } as const;
      const world = openWorld({ modelFor, trainable, data, training, folder });
      const says = await world.ask(models);
      await world.close();
      return { says, ...world.counts() };
    };
    const first = await ask([one]);
    expect([first.trained, first.found]).toEqual([1, 0]);
    const again = await ask([one, { ...one, seed: 4 }]);
    expect([again.trained, again.found]).toEqual([1, 1]);
    expect(again.says[0]).toEqual(first.says[0]);
    expect(again.says[1]?.margins).not.toEqual(first.says[0]?.margins);
    expect((await ask([one], 0.02)).trained).toBe(1);
    expect((await ask([{ ...one, members: [...others, 7, 8, 10, 12] }])).trained).toBe(1);
    const noisy = (noiseMultiplier: number) =>
      makePlan({ mechanism: 'gaussian', noiseMultiplier, examples: 8, epochs: 3, batchSize: 4 });
    const [weak, strong] = [await ask([{ ...one, plan: noisy(0.5) }]), await ask([{ ...one, plan: noisy(5) }])];
    expect([weak.trained, strong.trained]).toEqual([1, 1]);
    expect(strong.says[0]?.margins).not.toEqual(weak.says[0]?.margins);
    // Who the non-members are does not change a model.
    expect((await ask([{ ...one, others: [0] }])).found).toBe(1);
  });

  it('show who took part in their training without noise, next to nothing under much noise, and the same again', async () => {
    const modelFor = await open();
    const trainable = selectParameters(await modelFor(1), 'pooler+classifier');
    const some = { inputIds: distinct.inputIds.slice(0, 48), labels: distinct.labels.slice(0, 48) };
    const folder = join(root, 'watched');
    const ask = async (options: Parameters<typeof makePlan>[0], models = [1], steps = 40) => {
      const world = openWorld({ modelFor, trainable, data: some, training: usual, folder });
      const [members, others] = [0, 1].map((rest) => [...some.labels.keys()].filter((k) => k % 2 === rest)) as [
        number[],
        number[],
      ];
      const says = await world.ask(
        models.map((seed) => ({ members, others, plan: makePlan(options), seed })),
        { steps },
      );
      await world.close();
      return { says, ...world.counts() };
    };
    const area = ({ insight }: ModelSays) =>
      areaUnderRoc(insight?.members.evidence as Float64Array, insight?.others.evidence as Float64Array);
    const sizes = { examples: 24, epochs: 10, batchSize: 6 };
    for (const mechanism of ['none', 'normalised'] as const) {
      const { says } = await ask({ mechanism, ...sizes });
      expect(area(says[0] as ModelSays), mechanism).toBe(1);
    }
    const exact = await ask({ mechanism: 'gaussian', noiseMultiplier: 0.01, ...sizes });
    expect(area(exact.says[0] as ModelSays)).toBeGreaterThan(0.98);
    const directional = await ask({ mechanism: 'directional', concentration: 1e7, ...sizes });
    expect(area(directional.says[0] as ModelSays)).toBeGreaterThan(0.98);
    // Eight models of 24 against 24 under overwhelming noise: a mean area has a deviation of .03, so this fails once in 15,000 times.
    const noisy = { mechanism: 'gaussian', noiseMultiplier: 1000, ...sizes } as const;
    const { says } = await ask(noisy, [1, 2, 3, 4, 5, 6, 7, 8]);
    expect(Math.abs(says.reduce((sum, one) => sum + area(one), 0) / 8 - 0.5)).toBeLessThan(0.12);
    expect(says[0]?.insight?.members.gradientNorms.every((norm) => norm > 0)).toBe(true);
    const again = await ask(noisy);
    expect([again.trained, again.found]).toEqual([0, 1]);
    expect(again.says[0]).toEqual(says[0]);
    // Watching fewer steps is another answer.
    expect((await ask(noisy, [1], 10)).trained).toBe(1);
  });

  it.each([
    ['white-box', undefined, [true, true, true]],
    ['mia', undefined, [true, false, false]],
    ['mia', true, [true, true, true]],
    ['gradient-norm', undefined, [true]],
  ] as const)('%s, private references %s: models with noise are %j', async (name, privateReferences, noisy) => {
    const asked: boolean[] = [];
    const world = {
      ask: async (models: readonly WorldModel[]) =>
        models.map(() => {
          const numbers = Float64Array.from({ length: 6 }, (_, i) => i);
          const shown = { gradientNorms: Float64Array.of(1), evidence: Float64Array.of(0) };
          return {
            margins: numbers,
            correct: new Array<boolean>(6).fill(true),
            insight: { members: shown, others: shown },
          };
        }),
      counts: () => ({ trained: 0, found: 0 }),
      close: async () => {},
    };
    const attack = findAttack(name) as WorldAttack;
    await evaluateWorld({
      attack,
      options: readOptions(attack.options, {}),
      world,
      assigned: [0, 2, 4].map((k) => ({ members: [k], others: [k + 1] })),
      planOf: (model, isNoisy) => {
        asked[model] = isNoisy;
        return plan;
      },
      ...(privateReferences && { privateReferences }),
      seed: 1,
      targets: 1,
      random: seededSource(1),
      resamples: 5,
    });
    expect(asked.slice(0, noisy.length)).toEqual([...noisy]);
  });

  it('become a target with its candidates, and references with theirs', () => {
    const margins = [0, 1, 2].map((model) => Float64Array.from({ length: 8 }, (_, k) => 10 * model + k));
    const own = [
      { members: [0, 1], others: [2] },
      { members: [2, 3], others: [4] },
      { members: [1, 5], others: [0] },
    ];
    const models = own.map((one, k) => ({ ...one, margins: margins[k] as Float64Array }));
    const truth = truthOf(models, 0);
    expect(truth.margins).toEqual({ members: [0, 1], others: [2] });
    expect(truth.members).toEqual([lossOfMargin(0), lossOfMargin(1)]);
    expect(truth.references?.map(({ inside }) => inside)).toEqual([
      { members: [0, 0], others: [1] },
      { members: [0, 1], others: [0] },
    ]);
    expect(truth.references?.[1]?.own).toEqual({ members: Float64Array.of(21, 25), others: Float64Array.of(20) });
    // Examples that nobody was trained on and that are no candidates.
    expect(truth.population?.margins).toEqual(Float64Array.of(4, 6, 7));
    expect(truth.population?.references[0]).toEqual(Float64Array.of(14, 16, 17));
  });

  it('say log-odds that follow from logits', () => {
    expect([...marginsOf(Float32Array.of(1, 3, 3, 1), [0, 0], 2)]).toEqual([-2, 2]);
  });
});
