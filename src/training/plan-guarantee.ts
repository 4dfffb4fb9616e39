// The guarantee of a plan after some of its steps, in numbers and in sentences.

import { ArgumentError } from '../checks/index.js';
import { mechanismOf, type Plan } from '../mechanisms/index.js';
import {
  type AccountantName,
  accountantOf,
  composed,
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

/** Every step of a plan, once. */
export const allSteps = ({ steps }: Plan): LedgerEntry[] => Array.from({ length: steps }, (_, step) => ({ step }));

/**
 * The guarantee of several whole runs on the same data together, such as those that were tried to tune one of them; undefined if one
 * of them has none. Their plans must be for the same neighbours, δ and accountant.
 */
export function guaranteeOfRuns(plans: readonly Plan[]): Guarantee | undefined {
  const [first] = plans;
  if (first?.accountant === undefined || plans.some(({ event }) => event === undefined)) return undefined;
  const { accountant, neighbours, delta, examples } = first;
  const fits = (plan: Plan) =>
    plan.accountant === accountant &&
    plan.neighbours === neighbours &&
    plan.delta === delta &&
    plan.examples === examples;
  if (!plans.every(fits)) {
    throw new ArgumentError(
      'invalid plans: runs that are composed must have the same examples, neighbours, delta and accountant',
    );
  }
  return accountantOf(accountant, { neighbours }).compose(eventOfRuns(plans)).epsilon(delta);
}

const eventOfRuns = (plans: readonly Plan[]): PrivacyEvent =>
  composed(plans.map((plan) => eventOf(plan, allSteps(plan))));

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
  readonly tuning?: Tuning;
}

/** The runs that were tried to choose the settings of a run. */
interface Tuning {
  readonly tried: readonly Plan[];
  /** Whether the guarantee counts them (see `guaranteeOfRuns`). */
  readonly counted: boolean;
  /** How many validation examples chose among them. */
  readonly validation: number;
}

/** Sentences for whoever approves the release of the model. */
export function planStatement(plan: Plan, entries: readonly LedgerEntry[], context: StatementContext): string[] {
  checkPlan(plan);
  const { insecure, run, tuning } = context;
  const counted = tuning?.counted ? tuning.tried : [];
  const { guarantee = counted.length > 0 ? guaranteeOfRuns([...counted, plan]) : guaranteeOf(plan, entries) } = context;
  const event = counted.length > 0 ? eventOfRuns([...counted, plan]) : eventOf(plan, entries);
  const { rounding } = mechanismOf(plan.mechanism);
  if (guarantee === undefined) return ['There is no privacy guarantee: the gradients were used without noise.'];
  return [
    ...(insecure ? [seeded] : []),
    ...privacyStatement(event, guarantee, { records: plan.examples, countsTuning: counted.length > 0 }),
    ...(tuning ? tuningSentences(tuning) : []),
    ...(rounding === undefined ? [] : [rounding]),
    'Treated as public: the number of examples, the set of classes, and the length of the longest text after cutting.',
    'Not covered: losses, scores and counts shown while training; whether and when the run was stopped, by a person or because gradients were not finite.',
    ...(run === undefined ? [] : [oneModel(run)]),
    'Keep private: metrics and results; the cached features, which are the data in another form; ledger, checkpoint and run.json, which hold a digest of the data, so that a guess at it could be tested.',
    ...plan.notes.map((note) => `Note: ${note}.`),
  ];
}

function tuningSentences({ tried, counted, validation }: Tuning): string[] {
  const runs = `${tried.length} ${tried.length === 1 ? 'run' : 'runs'} on the same data`;
  return [
    counted
      ? `Counted: this run, with the most epochs that were tried, and the ${runs} that ${tried.length === 1 ? 'was' : 'were'} tried to choose its settings.`
      : `Not covered: tuning. The ${runs} that ${tried.length === 1 ? 'was' : 'were'} tried to choose the settings cost privacy too, and are not counted.`,
    `Not covered: the ${validation} validation examples, which chose among the runs without noise.`,
  ];
}

const seeded =
  'The noise came from a seed: whoever knows the seed can remove it. What follows would hold with secret noise; do not release this model.';

const oneModel = (run: string): string =>
  `This holds for one model of run ${run}: if its folder is copied and both copies are resumed, two models claim this, and releasing both costs more (epsilens verify compares models).`;
