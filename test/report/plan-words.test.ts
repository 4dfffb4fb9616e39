// What the report says where a study stands for another training: both sizes, two columns of ε, and which promise is about what.

import { describe, expect, it } from 'vitest';
import type { LevelGuarantee, PlanResults, StudyResults } from '../../src/calibration/index.js';
import { describeResults, renderReport } from '../../src/report/index.js';
import { planSentences } from '../../src/report/plan-words.js';
import { makeResults } from './fixtures.js';

const sizes = (examples: number, batchSize: number, epochs: number) => {
  const stepsPerEpoch = Math.ceil(examples / batchSize);
  return { examples, batchSize, epochs, stepsPerEpoch, steps: epochs * stepsPerEpoch };
};
const sample: PlanResults = { planned: sizes(67_349, 1024, 4), attacked: sizes(1500, 1024, 132), offered: 67_349 };

/** Results whose planned ε is this share of that of the attacked models. */
function underPlan(plan: PlanResults = sample, share = 0.1): StudyResults {
  const results = makeResults();
  const planned = (own: LevelGuarantee) => ({
    ...own,
    epsilon: own.epsilon * share,
    statement: ['Epsilon is that of the plan.'],
  });
  return {
    ...results,
    plan,
    levels: results.levels.map((level) => ({
      ...level,
      ...(level.guarantee && { planned: planned(level.guarantee) }),
    })),
  };
}

describe('a study that stands for another training', () => {
  it('states both sizes and whose ε is which', () => {
    expect(planSentences(underPlan())).toEqual([
      'The training that this study stands for has 67,349 examples in batches of 1,024, 4 epochs or 264 steps.',
      'The models attacked here were trained on 1,500 examples, with the same noise and batch size and as many steps, so their own ε is larger: what attacks on them reach is held against their own ε.',
    ]);
    expect(planSentences(makeResults())).toEqual([]);
  });

  it('says where steps are rounded up, where all rows are trained on, and where ε is the same', () => {
    const more = { planned: sizes(5000, 400, 1), attacked: sizes(1500, 400, 4), offered: 5000 };
    expect(planSentences(underPlan(more))[1]).toContain(
      'and 16 steps (whole epochs of these examples; at least as many)',
    );
    const whole = { planned: sizes(500, 100, 1), attacked: sizes(500, 100, 1), offered: 500, pastLimit: 200 };
    expect(planSentences(underPlan(whole, 1))).toEqual([
      'The training that this study stands for has 500 examples in batches of 100, 1 epoch or 5 steps.',
      'The models attacked here were trained on as many examples, with the same noise and batch size and as many steps, so their ε is the same.',
      'The features of the frozen part are kept, so the limit of 200 rows was not applied to the training data.',
    ]);
  });

  it('has both in the report', () => {
    const { html } = renderReport(underPlan());
    const page = html.replace(/[\u00a0\u202f]/g, ' ');
    expect(page).toContain('<dt>Plan</dt><dd>The training that this study stands for has 67,349 examples');
    expect(page).toContain('ε<small>planned training</small>');
    expect(page).toContain('<h3>Gaussian noise, planned training</h3>');
    expect(page).toContain('<h3>Gaussian noise, attacked models</h3>');
    expect(page).toContain('There are two promises per level.');
    const table = page.split('<table class="levels">')[1]?.split('</table>')[0] ?? '';
    const rows = [
      ...table.matchAll(
        /<tr><th scope="row">(σ = 10)(?:<small>[^<]*<\/small>)?<\/th>\s*<td>([^<]*)<\/td>\s*<td>([^<]*)/g,
      ),
    ];
    expect(rows).toHaveLength(1);
    expect(rows[0]?.[2]).not.toBe(rows[0]?.[3]);
    // Heads and spans of the table agree.
    const heads = table.split('</thead>')[0]?.match(/<th scope="col">/g)?.length;
    expect(table).toContain(`colspan="${heads}"`);
    expect(table.match(/<tr><th scope="row">[\s\S]*?<\/tr>/)?.[0].match(/<td>/g)).toHaveLength((heads ?? 0) - 1);
  });

  it('has both on the terminal, within its width', () => {
    const text = describeResults(underPlan());
    expect(text).toMatch(/^noise +planned ε +own ε /m);
    expect(text.replaceAll('\n', ' ')).toContain('so their own ε is larger');
    for (const line of text.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
    expect(describeResults(makeResults())).not.toContain('planned');
  });
});
