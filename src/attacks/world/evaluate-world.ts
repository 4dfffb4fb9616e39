// A membership attack on models of a world, one target after the other, beside a threshold on the loss alone.

import type { OptionValues } from '../../checks/index.js';
import { areaUnderRoc } from '../../metrics/index.js';
import type { SeededSource } from '../../random/index.js';
import type { Plan } from '../../training/index.js';
import type { WorldAttack } from '../attack.js';
import {
  type CandidateResult,
  evaluateCandidates,
  evaluateMembership,
  type Figure,
  type MembershipResult,
} from '../evaluation/membership.js';
import { membership } from '../membership/membership.js';
import type { ModelExamples } from './assignment.js';
import { type ExampleFacts, truthOf, type WorldMember } from './truth.js';
import type { ModelSays, World } from './world.js';

/** What was measured of one target. */
export interface TargetResult extends CandidateResult {
  /** AUC of the loss alone. */
  readonly baseline: Figure;
  /** ROC curve of the loss alone. */
  readonly baselineRoc: MembershipResult['roc'];
  /** The target's own accuracy on its members and on others. */
  readonly accuracy: { readonly members: number; readonly others: number };
  /** Absent if every other model was trained on some of the candidates. */
  readonly control?: DrawControl;
}

/**
 * AUC of the losses of models that were trained on none of the candidates, which cannot know who is a member: what differs from .5 is due to who was
 * drawn, and is in the figures of the target too.
 */
export interface DrawControl {
  readonly mean: number;
  readonly least: number;
  readonly most: number;
  readonly models: number;
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
  /** The plan of a model, with the noise of the target or without. */
  readonly planOf: (model: number, noisy: boolean) => Plan;
  /** Whether the attacker's models have the noise of the target too, as they do for attacks that need it. Default: false. */
  readonly privateReferences?: boolean;
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
  const need = attack.insight?.(options);
  const likeTarget = evaluation.privateReferences || (need?.likeTarget ?? false);
  const results: TargetResult[] = [];
  for (let target = 0; target < targets; target++) {
    const models = assigned.map((one, k) => ({ ...one, plan: planOf(k, k === target || likeTarget), seed: seed + k }));
    const own = models[target] as (typeof models)[number];
    results.push(
      alone
        ? judgeTarget({ ...evaluation, assigned: [own] }, await world.ask([own], need), 0)
        : judgeTarget(evaluation, await world.ask(models, need), target),
    );
  }
  return results;
}

function judgeTarget(
  { attack, options, assigned, groups, queried, random, resamples }: WorldEvaluation,
  says: readonly ModelSays[],
  target: number,
): TargetResult {
  const models = assigned.map((one, k) => ({ ...one, ...(says[k] as ModelSays) }));
  const rest = {
    truth: truthOf(models, target, { ...(groups && { groups }), ...(queried && { queried }) }),
    random: random.stream(`target ${target}`),
    ...(resamples !== undefined && { resamples }),
  };
  const correct = (side: 'members' | 'others') => {
    const all = assigned[target]?.[side] ?? [];
    return all.filter((example) => says[target]?.correct[example]).length / all.length;
  };
  const { auc: baseline, roc: baselineRoc } = evaluateMembership({ attack: membership, options: {}, ...rest });
  const control = controlOf(models, target);
  return {
    ...(control && { control }),
    ...evaluateCandidates({ attack, options, ...rest }),
    baseline,
    baselineRoc,
    accuracy: { members: correct('members'), others: correct('others') },
  };
}

function controlOf(models: readonly WorldMember[], target: number): DrawControl | undefined {
  const own = models[target] as WorldMember;
  const candidates = new Set([...own.members, ...own.others]);
  const strangers = models.filter((model, k) => k !== target && !model.members.some((one) => candidates.has(one)));
  if (strangers.length === 0) return undefined;
  const areas = strangers.map(({ margins }) => {
    const of = (examples: readonly number[]) => examples.map((example) => margins[example] as number);
    return areaUnderRoc(of(own.members), of(own.others));
  });
  return {
    mean: areas.reduce((sum, area) => sum + area, 0) / areas.length,
    least: Math.min(...areas),
    most: Math.max(...areas),
    models: areas.length,
  };
}
