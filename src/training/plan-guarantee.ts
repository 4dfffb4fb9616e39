// The guarantee of a plan after some of its steps, in numbers and in sentences.

import { mechanismOf, type Plan } from '../mechanisms/index.js';
import {
  type AccountantName,
  accountantOf,
  type Guarantee,
  none,
  type PrivacyEvent,
  privacyStatement,
  selfComposed,
} from '../privacy/index.js';
import { checkPlan } from './plan.js';

/** A step that was begun, so that its noise may have been seen. */
export interface LedgerEntry {
  /** The step, from 0. A step that was interrupted and repeated has two entries. */
  readonly step: number;
  /** The process that began it, as a random name. */
  readonly session?: string;
}

/** The composed event of all steps begun. */
export function eventOf({ event, sampler, stepsPerEpoch }: Plan, entries: readonly LedgerEntry[]): PrivacyEvent {
  if (event === undefined || entries.length === 0) return none;
  if (sampler.kind === 'poisson') return selfComposed(entries.length, event);
  // The batches of an epoch are disjoint: an example is in one of them, at worst the one that was used most often.
  const uses = new Map<number, number>();
  for (const { step } of entries) uses.set(step, (uses.get(step) ?? 0) + 1);
  const worst = new Map<number, number>();
  for (const [step, count] of uses) {
    const epoch = Math.floor(step / stepsPerEpoch);
    worst.set(epoch, Math.max(count, worst.get(epoch) ?? 0));
  }
  return selfComposed(
    [...worst.values()].reduce((sum, count) => sum + count, 0),
    event,
  );
}

/** The guarantee after these steps; undefined if the plan has none. `accountant` may name a quicker one. */
export function guaranteeOf(
  plan: Plan,
  entries: readonly LedgerEntry[],
  accountant: AccountantName | undefined = plan.accountant,
): Guarantee | undefined {
  const { event, neighbours, delta } = plan;
  if (event === undefined || accountant === undefined) return undefined;
  return accountantOf(accountant, { neighbours }).compose(eventOf(plan, entries)).epsilon(delta);
}

/** The accountant for live figures: Rényi bounds take milliseconds if the plan's own is slow, but they need a δ above 0. */
export const quickAccountant = ({ accountant, delta }: Plan): AccountantName | undefined =>
  accountant === 'pld' && delta !== 0 ? 'rdp' : accountant;

interface StatementContext {
  /** Whether the noise came from a seed. */
  readonly insecure: boolean;
  /** Identity of the run, if it has a ledger that could be copied. */
  readonly run?: string;
  /** The guarantee for these entries if it is already known: accounting may take seconds. */
  readonly guarantee?: Guarantee;
}

/** Sentences for whoever approves the release of the model. */
export function planStatement(plan: Plan, entries: readonly LedgerEntry[], context: StatementContext): string[] {
  checkPlan(plan);
  const { insecure, run, guarantee = guaranteeOf(plan, entries) } = context;
  const { rounding } = mechanismOf(plan.mechanism);
  if (guarantee === undefined) return ['There is no privacy guarantee: the gradients were used without noise.'];
  return [
    ...(insecure ? [seeded] : []),
    ...privacyStatement(eventOf(plan, entries), guarantee, { records: plan.examples }),
    ...(rounding === undefined ? [] : [rounding]),
    'Treated as public: the number of examples, the set of classes, and the length of the longest text after cutting.',
    'Not covered: losses, scores and counts shown while training; whether and when the run was stopped, by a person or because gradients were not finite.',
    ...(run === undefined ? [] : [oneModel(run)]),
    'Keep private: metrics and results; the cached features, which are the data in another form; ledger, checkpoint and run.json, which hold a digest of the data, so that a guess at it could be tested.',
    ...plan.notes.map((note) => `Note: ${note}.`),
  ];
}

const seeded =
  'The noise came from a seed: whoever knows the seed can remove it. What follows would hold with secret noise; do not release this model.';

const oneModel = (run: string): string =>
  `This holds for one model of run ${run}: if its folder is copied and both copies are resumed, two models claim this, and releasing both costs more (epsilens verify compares models).`;
