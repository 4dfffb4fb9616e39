// A membership attack on models of a world, one target after the other, beside a threshold on the loss alone.

import type { OptionValues } from '../../checks/index.js';
import type { SeededSource } from '../../random/index.js';
import type { Plan } from '../../training/index.js';
import type { WorldAttack } from '../attack.js';
import { evaluateMembership, type Figure, type MembershipResult } from '../evaluation/membership.js';
import { membership } from '../membership/membership.js';
import type { ModelExamples } from './assignment.js';
import { type ExampleFacts, truthOf } from './truth.js';
import type { ModelSays, World } from './world.js';

/** What was measured of one target. */
export interface TargetResult {
  readonly result: MembershipResult;
  /** AUC of the loss alone. */
  readonly baseline: Figure;
  /** The target's own accuracy on its members and on others. */
  readonly accuracy: { readonly members: number; readonly others: number };
}

/** An attack, the world that it is run on, and how many of its models are attacked. */
export interface WorldEvaluation {
  readonly attack: WorldAttack;
  readonly options: OptionValues<WorldAttack['options']>;
  readonly world: World;
  readonly assigned: readonly ModelExamples[];
  /** Groups of all examples, whose figures are resampled together. Default: none. */
  readonly groups?: readonly (string | undefined)[];
  /** Where the world's data has what the attack asks about, if it asks about anything. */
  readonly queried?: ExampleFacts['queried'];
  /** The plan of a model, if this one is the target. */
  readonly planOf: (model: number, target: number) => Plan;
  /** Seeds the first model; the others follow. */
  readonly seed: number;
  readonly targets: number;
  readonly random: SeededSource;
  /** Bootstrap resamples. Default: that of `evaluateMembership`. */
  readonly resamples?: number;
}

/** Trains what is not trained yet, and attacks the first models of the world in turn. */
export async function evaluateWorld(evaluation: WorldEvaluation): Promise<TargetResult[]> {
  const { attack, options, world, assigned, planOf, seed, targets } = evaluation;
  const alone = attack.references(options) === 'none';
  const results: TargetResult[] = [];
  for (let target = 0; target < targets; target++) {
    const models = assigned.map((one, k) => ({ ...one, plan: planOf(k, target), seed: seed + k }));
    const own = models[target] as (typeof models)[number];
    results.push(
      alone
        ? judgeTarget({ ...evaluation, assigned: [own] }, await world.ask([own]), 0)
        : judgeTarget(evaluation, await world.ask(models), target),
    );
  }
  return results;
}

function judgeTarget(
  { attack, options, assigned, groups, queried, random, resamples }: WorldEvaluation,
  says: readonly ModelSays[],
  target: number,
): TargetResult {
  const models = assigned.map((one, k) => ({ ...one, margins: (says[k] as ModelSays).margins }));
  const rest = {
    truth: truthOf(models, target, { ...(groups && { groups }), ...(queried && { queried }) }),
    random: random.stream(`target ${target}`),
    ...(resamples !== undefined && { resamples }),
  };
  const correct = (side: 'members' | 'others') => {
    const all = assigned[target]?.[side] ?? [];
    return all.filter((example) => says[target]?.correct[example]).length / all.length;
  };
  return {
    result: evaluateMembership({ attack, options, ...rest }),
    baseline: evaluateMembership({ attack: membership, options: {}, ...rest }).auc,
    accuracy: { members: correct('members'), others: correct('others') },
  };
}
