// Membership by everything that a model shows: its loss, the length of the gradient, and the releases of its training, weighed by a logistic
// regression that the attacker fits to models of its own (Nasr et al. 2019 train a network on such signals).

import { ArgumentError } from '../../checks/index.js';
import type { WorldAttack } from '../attack.js';
import type { Insight, ReferenceModel } from '../view.js';
import { expectInsight } from './gradient-norm.js';
import { fitLogistic, logOddsOf } from './logistic.js';
import { membershipMeasure } from './measure.js';
import { expectReferences, mean, squares } from './references.js';
import { stepsOption } from './updates.js';

export const whiteBox: WorldAttack<typeof stepsOption> = {
  name: 'white-box',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'white box',
    help: 'tell the training data of a classifier from other data by loss, gradient and the releases of its training together, weighed as models of the attacker’s own teach',
    definition:
      'An attacker who sees the trained model and the updates of its training weighs loss, length of the gradient and evidence of the updates by a logistic regression, fitted to models that it trained in the same way, noise included.',
    reference: 'after Nasr et al. 2019',
  },
  options: stepsOption,
  measure: membershipMeasure,
  references: () => 'own',
  insight: ({ steps }) => ({ steps, likeTarget: true }),
  run: (view) => {
    expectReferences('white-box', 'own', view);
    const pooled = (side: 'members' | 'others') => view.references.flatMap(({ own }) => signalsOf(own, side));
    const [members, others] = [pooled('members'), pooled('others')];
    const scale = scaleOf([...members, ...others]);
    const fit = fitLogistic(members.map(scale), others.map(scale));
    const own = signals(view.margins, expectInsight('white-box', view));
    return Float64Array.from(own, (one) => logOddsOf(fit, scale(one)));
  },
  // In log-odds, which keep apart what a probability would round to 1.
  decision: () => 0,
};

/** What the attacker knows of its own model's members or others. */
function signalsOf({ insight, ...margins }: ReferenceModel['own'], side: 'members' | 'others'): number[][] {
  if (insight === undefined) {
    throw new ArgumentError('the white-box attack reads the training of its own models: expected that of each');
  }
  return signals(margins[side], insight[side]);
}

/** Log-odds, log length of the gradient, and evidence, whose thousands of nats say no more than hundreds. */
const signals = (margins: Float64Array, { gradientNorms, evidence }: Insight): number[][] =>
  Array.from(margins, (margin, k) => [
    margin,
    Math.log(Math.max(gradientNorms[k] as number, Number.MIN_VALUE)),
    Math.asinh(evidence[k] as number),
  ]);

/** Puts signals on one scale, mean 0 and variance 1 over these, so that the penalty of the regression treats them alike. */
function scaleOf(all: readonly (readonly number[])[]): (one: readonly number[]) => number[] {
  const laws = (all[0] as readonly number[]).map((_, signal) => {
    const numbers = all.map((one) => one[signal] as number);
    return { middle: mean(numbers), deviation: Math.sqrt(squares(numbers) / numbers.length) || 1 };
  });
  return (one) => laws.map(({ middle, deviation }, signal) => ((one[signal] as number) - middle) / deviation);
}
