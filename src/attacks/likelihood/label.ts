// The label of the client's sentence. Two signs are cheap: the gradient of the classifier's bias, and a label that explains much more than
// any other with the same sentence. Otherwise undecided sentences climb a little with each label.

import { seededSource } from '../../random/index.js';
import type { GradientView } from '../view.js';
import { softStart } from './improve.js';
import type { Pieces } from './objective.js';
import { isExplained } from './refine.js';
import type { LikelihoodOptions } from './task.js';
import type { LabelJudgement } from './whole.js';

/** Steps after which undecided sentences show which label they need. */
const firstSteps = 8;

/** Deviations between the least two numbers of the bias's gradient from which noise is not the reason, except once in three million times. */
const clear = 5;

/** How much more of the gradient a label must explain than the next. Sentences that have nothing to do with the truth reached half of it. */
const muchMore = 0.3;

/** `ranked` are the labels with the best sentence so far, the best first. */
export async function chooseLabel(
  view: GradientView,
  options: LikelihoodOptions,
  pieces: Pieces,
  ranked: readonly LabelJudgement[],
  length: number,
): Promise<number> {
  const [first, second] = ranked as [LabelJudgement, LabelJudgement?];
  if (second === undefined || options.refinement === undefined || isExplained(first)) return first.label;
  const shown = labelInBias(view);
  if (shown !== undefined) return shown;
  if (second.unexplained - first.unexplained > muchMore) return first.label;
  return labelOfUndecided(view, options, pieces, ranked, length);
}

/** The slopes of the logits are p − e for the label's unit vector e, and the bias's gradient is just that: negative at the label alone. */
export function labelInBias({ model, gradients, noise }: GradientView): number | undefined {
  const name = model.layout.classifierBias;
  const slopes = name === undefined ? undefined : gradients[name];
  if (name === undefined || slopes === undefined || slopes.length < 2) return undefined;
  const [least, next] = [...slopes.keys()].sort((a, b) => (slopes[a] as number) - (slopes[b] as number)) as [
    number,
    number,
  ];
  const gap = (slopes[next] as number) - (slopes[least] as number);
  return gap > clear * Math.SQRT2 * (noise[name] ?? 0) ? least : undefined;
}

async function labelOfUndecided(
  view: GradientView,
  { whole, refinement }: LikelihoodOptions,
  pieces: Pieces,
  ranked: readonly LabelJudgement[],
  length: number,
): Promise<number> {
  const { soft } = refinement as NonNullable<typeof refinement>;
  let [chosen, most] = [ranked[0]?.label ?? 0, Number.NEGATIVE_INFINITY];
  for (let begin = 0; begin < ranked.length; begin += soft.rows) {
    const labels = ranked.slice(begin, begin + soft.rows).map(({ label }) => label);
    const start = { ...softStart(pieces, length), labels, steps: firstSteps };
    const { sentences } = await soft.run(view, start, seededSource('label'));
    for (const [row, label] of labels.entries()) {
      const [judged] = await whole.judge(view, [sentences[row] as number[]], label);
      const nats = judged?.nats ?? Number.NEGATIVE_INFINITY;
      if (nats > most) [chosen, most] = [label, nats];
    }
  }
  return chosen;
}
