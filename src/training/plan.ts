// The plan of a training run: the mechanism derives sampler, clipping, noise, accountant and neighbours together from one
// description, so that they cannot disagree. A plan is plain frozen data, stored in the ledger and in the checkpoint.

import { isDeepStrictEqual } from 'node:util';
import { ArgumentError, refuseUnknown } from '../checks/index.js';
import {
  type MechanismName,
  mechanismOf,
  type Plan,
  type PlanFor,
  type PlanOptions,
  type PlanOptionsFor,
  planSizes,
} from '../mechanisms/index.js';
import { differing } from './differing.js';

/**
 * Makes the plan of a run: sizes (`examples`, `batchSize`, `epochs`), `mechanism` (none, gaussian, directional) and that
 * mechanism's options, such as `epsilon` or `noiseMultiplier`. An option the mechanism does not have is an error. The result is
 * frozen; `trainClassifier` refuses a plan that was changed.
 */
export function makePlan<Name extends MechanismName>(
  options: PlanOptionsFor<Name> & { readonly mechanism: Name },
): PlanFor<Name> {
  const mechanism = mechanismOf(options.mechanism);
  refuseUnknown(options, [...commonKeys, ...Object.keys(mechanism.planOptions)], 'a plan');
  return freeze(mechanism.plan(options as PlanOptions, planSizes(options)) as PlanFor<Name>);
}

/** Options of every mechanism's plan. */
const commonKeys = ['mechanism', 'examples', 'epochs', 'batchSize', 'layers'];

/** Throws unless a plan equals one made from its own description: one assembled by hand could claim more than it gives. */
export function checkPlan(plan: Plan): void {
  if (made.has(plan)) return;
  const again = makePlan(describe(plan));
  for (const key of new Set([...Object.keys(plan), ...Object.keys(again)])) {
    if (key === 'notes' || isDeepStrictEqual(plan[key as keyof Plan], again[key as keyof Plan])) continue;
    throw new ArgumentError(
      `invalid plan: its ${key} does not fit the rest: make the plan with makePlan and do not change it`,
    );
  }
}

/**
 * Makes the plan again from its essential part, as a ledger or a saved model holds it. Throws if that part does not describe a
 * plan, so that nothing is concluded from a file that was changed by hand.
 */
export function restorePlan(saved: object): Plan {
  const plan = makePlan(describe(saved as Plan)) as Plan;
  const changed = differing(saved, JSON.parse(JSON.stringify(essentialPlan(plan))));
  if (changed === undefined) return plan;
  throw new ArgumentError(`invalid plan: its ${changed[0]} does not fit the rest`);
}

/** The options that give this plan, with its noise. */
function describe(plan: Plan): PlanOptions {
  const { examples, epochs, batchSize } = plan;
  try {
    return { ...mechanismOf(plan.mechanism).optionsOf(plan), examples, epochs, batchSize };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ArgumentError(`invalid plan: a part of it is missing: make the plan with makePlan and do not change it`);
  }
}

/** The part of a plan that decides what is released and guaranteed. */
export function essentialPlan({ guarantee: _, notes: __, ...essential }: Plan): Omit<Plan, 'guarantee' | 'notes'> {
  return essential;
}

/** Plans that makePlan made; they are deeply frozen, so they need no check. */
const made = new WeakSet<object>();

function freeze<Made extends object>(plan: Made): Made {
  const frozen = freezeAll(structuredClone(plan));
  made.add(frozen);
  return frozen;
}

function freezeAll<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freezeAll);
  return value;
}
