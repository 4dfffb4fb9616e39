// A study with an attack that has a likelihood: what its trials record, and what results make of it.

import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { collectResults, runStudy, type StudyResults, studyFromYaml } from '../../src/calibration/index.js';
import { redactResults, renderReport } from '../../src/report/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
let results: StudyResults;
beforeAll(async () => {
  const study = await tinyStudy(root);
  const attacks = {
    likelihood: {
      count: 3,
      maxTokens: 8,
      batchSize: 1,
      genie: 2,
      unknownLengths: false,
      prior: 'rank',
      refinement: 'quick',
    },
  };
  const mechanisms = { gaussian: { noise: [0.001, 1000] } };
  const run = await runStudy({
    study: { ...study, attacks, mechanisms, seeds: [1] },
    folder: join(root, 'out'),
    jobs: 0,
  });
  expect(run.failed).toBe(0);
  results = await collectResults(join(root, 'out'));
}, 120_000);

it('measures certainty, the search, the genie and the floor of the prior at every level', () => {
  const [clean, , strong] = results.levels.map(({ leakage }) => leakage.likelihood);
  expect(clean).toMatchObject({
    measures: { certainTokens: { mean: 1, values: [1, 1, 1] } },
    search: { failed: 0, texts: 3 },
    genie: { right: 6, of: 6, accuracy: 1, chance: 1 / 16, texts: 3 },
  });
  expect(clean?.reliability?.at(-1)).toMatchObject({ from: 0.99, to: 1 });
  expect(clean?.reliability?.at(-1)?.right).toBe(clean?.reliability?.reduce((sum, { answers }) => sum + answers, 0));
  expect(strong?.measures.certainTokens?.mean).toBeLessThan(0.4);
  for (const { leakage } of results.levels) {
    const { likelihood } = leakage;
    expect(likelihood?.genie?.of).toBe(6);
    expect(likelihood?.search?.texts).toBe(3);
    expect(likelihood?.priorFloor).toBeGreaterThanOrEqual(0);
    expect(likelihood?.floor).toBeGreaterThanOrEqual(likelihood?.priorFloor as number);
    expect(Object.keys(likelihood?.measures ?? {})).not.toContain('searchFailed');
    for (const { confidence, guessTokens, limit, genie } of likelihood?.comparisons ?? []) {
      expect(confidence).toHaveLength(guessTokens.length);
      expect(limit?.truth.likelihood).toBeGreaterThanOrEqual(0);
      expect(genie?.places).toBe(2);
    }
  }
  expect(results.conclusions.mechanisms[0]?.genie?.[0]?.levels).toHaveLength(2);
});

it('passes none of the text on when it is redacted', () => {
  const texts = results.levels.flatMap(
    ({ leakage }) => leakage.likelihood?.comparisons.map(({ truth }) => truth) ?? [],
  );
  expect(texts.length).toBe(9);
  const { html, charts } = renderReport(results, { redact: true });
  const said = [html, JSON.stringify(redactResults(results)), ...charts.flatMap(({ svg, csv }) => [svg, csv])];
  for (const one of said) for (const text of texts) expect(one).not.toContain(text);
  expect(html).toContain('How sure, and how near the limit');
});

it('is asked for a genie only where the attack has a likelihood, and by a whole number', () => {
  const parse = (attacks: string) => () => studyFromYaml(`{name: one, attacks: ${attacks}}`, 'one');
  expect(parse('{likelihood: {genie: 4}}')().attacks.likelihood?.genie).toBe(4);
  expect(parse('{likelihood: {}}')().attacks.likelihood).not.toHaveProperty('genie');
  expect(parse('{span: {genie: 4}}')).toThrow('unknown key attacks.span.genie');
  expect(parse('{likelihood: {genie: -1}}')).toThrow('invalid attacks.likelihood.genie');
});
