// The key `plan` of a study: what does not fit in it, and what it replaces. Doing so twice changes nothing, so that a study which was
// written to a file is read as the same study.

import type { OptionSchema } from '../../checks/index.js';
import {
  isNoisy,
  type MechanismOptions,
  mechanismOf,
  type NoisyMechanism,
  noisyNames,
  parameterOf,
  studyOptionsOf,
} from '../../mechanisms/index.js';
import type { KeyFault } from './key-fault.js';
import type { Study, StudyPlan } from './study.js';
import { isTuned } from './tuning.js';

/** The ways in which a plan of this mechanism may say how much noise there is. */
export const amountKeys = (mechanism: NoisyMechanism): string[] =>
  [parameterOf(mechanism).flag, 'epsilon'].filter((key) => key in mechanismOf(mechanism).grids);

/** The keys of a plan that go with a mechanism, as the options by which they are checked. */
export function mechanismKeys(mechanism: NoisyMechanism): OptionSchema {
  const { grids } = mechanismOf(mechanism);
  const amounts = Object.entries(grids).map(([key, { option }]) => [key, option] as const);
  const ways = amountKeys(mechanism);
  return { ...Object.fromEntries(amounts.filter(([key]) => ways.includes(key))), ...studyOptionsOf(mechanism) };
}

const allKeys = [...new Set(noisyNames.flatMap((name) => Object.keys(mechanismKeys(name))))];

/** Keys of a plan that do not fit each other. `path` is where the plan stands. */
export function planFaults(plan: StudyPlan, path: readonly string[]): KeyFault[] {
  const { examples, batchSize, mechanism } = plan;
  const given = allKeys.filter((key) => plan[key] !== undefined);
  const at = (key: string, expected: string): KeyFault => ({ path: [...path, key], expected, got: plan[key] });
  const tooLarge = `expected at most the ${examples} examples of the plan`;
  const faults = batchSize > examples ? [at('batchSize', tooLarge)] : [];
  if (mechanism === undefined) {
    return [...faults, ...given.map((key) => at(key, 'expected mechanism beside it, which says what it is about'))];
  }
  const own = Object.keys(mechanismKeys(mechanism));
  const foreign = given.filter((key) => !own.includes(key));
  const amounts = amountKeys(mechanism).filter((key) => plan[key] !== undefined);
  return [
    ...faults,
    ...foreign.map((key) => at(key, `expected a key of mechanism ${mechanism} (${own.join(', ')})`)),
    ...amounts.slice(1).map((key) => at(key, `expected either ${amountKeys(mechanism).join(' or ')}, not both`)),
  ];
}

/** The same for the plan of a study, whose mechanism must be one of the study's. */
export function studyPlanFaults({ plan, mechanisms }: Pick<Study, 'plan' | 'mechanisms'>): KeyFault[] {
  if (plan === undefined) return [];
  const path = ['plan'];
  const { mechanism } = plan;
  if (mechanism === undefined || mechanism in mechanisms) return planFaults(plan, path);
  const names = Object.keys(mechanisms).join(', ') || 'none';
  const expected = `expected a mechanism of the study (${names}): add it under mechanisms, or leave it out of the plan`;
  return [...planFaults(plan, path), { path: [...path, 'mechanism'], expected, got: mechanism }];
}

/** A study whose own training is that of its plan, as far as the plan says. */
export function underPlan(study: Study): Study {
  const { plan, training, data, mechanisms } = study;
  if (plan === undefined) return study;
  const { examples, batchSize, epochs, delta = training.delta ?? examples ** -1.1, maxTokens } = plan;
  const { clipNorm, trainable, learningRate, schedule, warmup } = plan;
  const { tuning, ...own } = training;
  const given = Object.entries({ clipNorm, trainable, learningRate, schedule, warmup });
  const known = given.filter(([, value]) => value !== undefined);
  const settings = { ...own, ...Object.fromEntries(known), batchSize, epochs, delta };
  return {
    ...study,
    data: { ...data, ...(maxTokens !== undefined && { maxTokens }) },
    training: { ...settings, ...(tuning && isTuned(settings.learningRate) && { tuning }) },
    mechanisms: { ...mechanisms, ...withOptions(plan, mechanisms) },
  };
}

/** The plan's mechanism with the options of the plan in place of the study's. */
function withOptions(plan: StudyPlan, mechanisms: Study['mechanisms']): Study['mechanisms'] {
  const { mechanism } = plan;
  if (mechanism === undefined || !isNoisy(mechanism) || mechanisms[mechanism] === undefined) return {};
  const given = Object.keys(studyOptionsOf(mechanism)).filter((key) => plan[key] !== undefined);
  const options = Object.fromEntries(given.map((key) => [key, plan[key]])) as MechanismOptions;
  return { [mechanism]: { ...mechanisms[mechanism], ...options } };
}
