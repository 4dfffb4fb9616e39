// A study with attacks that train models of their own: what its trials record, and what the answer says about whose ε that is.

import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { collectResults, runStudy, type StudyResults, studyFromYaml } from '../../src/calibration/index.js';
import { membershipSentences } from '../../src/report/answer/membership.js';
import { renderReport } from '../../src/report/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
let results: StudyResults;
beforeAll(async () => {
  const study = await tinyStudy(root);
  const attacks = {
    mia: { references: 3, recipe: 'usual' },
    lira: { references: 5, recipe: 'usual', epochs: 3, mode: 'online', variance: 'auto' },
  };
  const run = await runStudy({
    study: {
      ...study,
      attacks,
      mechanisms: { gaussian: { noise: [1, 1000] }, directional: { concentration: [10] } },
      seeds: [1, 2],
    },
    folder: join(root, 'out'),
    jobs: 0,
  });
  expect(run.failed).toBe(0);
  results = await collectResults(join(root, 'out'));
}, 120_000);

it('has one AUC per level and seed, the loss alone beside it, and ε of the attacked model where there is noise', () => {
  for (const { level, leakage } of results.levels) {
    for (const name of ['mia', 'lira']) {
      const { main, measures, floor } = leakage[name] as NonNullable<(typeof leakage)[string]>;
      expect(main.values).toHaveLength(2);
      for (const auc of main.values) expect(auc >= 0 && auc <= 1).toBe(true);
      expect(measures.lossAuc?.values).toHaveLength(2);
      expect(measures.ownEpsilon !== undefined).toBe(level.parameter !== undefined);
      expect(floor).toBe(0.5);
    }
  }
  const epsilons = results.levels.flatMap(({ leakage }) => leakage.lira?.measures.ownEpsilon?.mean ?? []);
  expect(epsilons[0]).toBeGreaterThan(epsilons[1] as number);
});

it('has ROC curves whose area is the AUC, and bounds by ε of the attacked models: twice for parts of their own', () => {
  const at = (parameter: number | undefined, attack: string) =>
    results.levels.find(({ level }) => level.parameter === parameter)?.leakage[attack];
  for (const attack of ['mia', 'lira']) {
    const { roc, main } = at(undefined, attack) as NonNullable<ReturnType<typeof at>>;
    const points = roc?.points ?? [];
    expect([points[0], points.at(-1)]).toEqual([
      { falsePositiveRate: 0, truePositiveRate: 0 },
      { falsePositiveRate: 1, truePositiveRate: 1 },
    ]);
    const area = points.slice(1).reduce((sum, point, place) => {
      const before = points[place] as (typeof points)[number];
      const width = point.falsePositiveRate - before.falsePositiveRate;
      return sum + (width * (point.truePositiveRate + before.truePositiveRate)) / 2;
    }, 0);
    // Each curve has a step per example, so means at equal rates lose up to half a step of the few others.
    expect(Math.abs(area - main.mean)).toBeLessThan(1 / (roc?.others ?? 1));
    expect(roc?.bound).toBeUndefined();
  }
  for (const [attack, times] of [
    ['mia', 2],
    ['lira', 1],
  ] as const) {
    const { roc, measures } = at(1000, attack) as NonNullable<ReturnType<typeof at>>;
    expect(roc?.bound?.epsilon).toBeCloseTo(times * Math.max(...(measures.ownEpsilon?.values ?? [])), 12);
  }
  const names = renderReport(results).charts.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['roc-mia-gaussian', 'roc-lira-gaussian', 'roc-lira-directional']));
});

it('says that these are not the models of the study, and names their ε', () => {
  const last = membershipSentences(results).at(-1);
  expect(last).toMatch(
    /^MIA and LiRA attack models trained for that on parts of the data, .* not the models whose accuracy and ε are shown\./,
  );
  expect(last).toMatch(
    /ε of what MIA attacks is [\d.,]+ at σ\s=\s1, [\d.]+ at σ\s=\s10³ and [\d.,]+ at κ\s=\s10\. ε of what LiRA attacks is [\d.,]+ at σ\s=\s1, /,
  );
});

it('is not compared at equal leakage with the utility of other models', () => {
  expect(results.attacks.map(({ ownModels }) => ownModels)).toEqual([true, true]);
  expect(results.equalLeakage).toEqual([]);
  expect(renderReport(results).charts.filter(({ name }) => name.startsWith('trade-off'))).toEqual([]);
});

it('takes the settings of worlds as keys, and refuses others', () => {
  const study = (keys: string) => studyFromYaml(`name: x\nattacks:\n  rmia: {${keys}}\n`, 'x');
  expect(study('references: 5, examples: halves, epochs: 2, gamma: 2').attacks.rmia).toMatchObject({
    references: 5,
    examples: 'halves',
    recipe: 'overfit',
    epochs: 2,
    gamma: 2,
  });
  expect(() => study('references: 0')).toThrow('attacks.rmia.references');
  expect(() => study('recipe: magic')).toThrow('attacks.rmia.recipe');
  expect(() => study('count: 3')).toThrow('count');
});

it('refuses worlds that the data or the attack do not allow, before anything runs', async () => {
  const study = await tinyStudy(root);
  const run = (attacks: Record<string, object>) =>
    runStudy({ study: { ...study, attacks: attacks as never }, folder: join(root, 'refused'), jobs: 0 });
  await expect(run({ lira: { references: 4, recipe: 'usual', mode: 'online', variance: 'auto' } })).rejects.toThrow(
    'invalid attacks.lira: invalid attacks.lira.references: expected at least 5 for this attack, got 4',
  );
  await expect(run({ mia: { references: 30, recipe: 'usual' } })).rejects.toThrow(
    'invalid attacks.mia: expected at least 248 labelled examples for 31 models, got 60',
  );
});
