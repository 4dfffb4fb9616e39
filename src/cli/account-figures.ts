// What `epsilens account` computes: every accountant's answer, the noise for a target, and ε during training.

import { ArgumentError, check } from '../checks/index.js';
import {
  type AccountantChoice,
  type AccountantName,
  accountantOf,
  dpSgd,
  findNoise,
  type Guarantee,
  gaussianEpsilon,
  type PrivacyEvent,
  privacyStatement,
} from '../privacy/index.js';

export interface AccountFlags {
  readonly sampleRate: number;
  readonly noise?: number;
  readonly epsilon?: number;
  readonly steps: number;
  readonly delta: number;
  readonly accountant: string;
  readonly orders: string;
  readonly records?: number;
  readonly every?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** An accountant's answer, or why it has none. */
export type Answer = Guarantee | { readonly error: string };

/** In the order of the table, best first. */
const answerNames = ['pld', 'rdp', 'moments', 'zcdp', 'advanced', 'basic', 'gdp'] as const satisfies AccountantName[];
export type AnswerName = (typeof answerNames)[number];

export interface AccountResult {
  readonly noiseMultiplier: number;
  readonly answers: Readonly<Record<AnswerName, Answer>>;
  /** The accountant whose number to quote; absent if neither has one. */
  readonly quoted?: 'pld' | 'rdp';
  readonly shuffled: { readonly epochs: number; readonly epsilon: number };
  readonly series?: readonly ({ readonly step: number } & Answer)[];
  readonly statement: readonly string[];
}

export function account(flags: AccountFlags): AccountResult {
  const { sampleRate, steps, delta, every } = flags;
  const given = [flags.noise, flags.epsilon].filter((value) => value !== undefined).length;
  if (given !== 1) {
    throw new ArgumentError(`expected either --noise or --epsilon, got ${given === 0 ? 'neither' : 'both'}`);
  }
  check({ delta }, 'above 0 and below 1', (value) => value < 1);
  const accountant = expectName('accountant', flags.accountant, ['pld', 'rdp']);
  const options = { orders: expectName('orders', flags.orders, ['default', 'published']) };
  const eventFor = (noise: number, count = steps): PrivacyEvent =>
    dpSgd({ sampleRate, noiseMultiplier: noise, steps: count });
  const noiseMultiplier =
    flags.noise ?? findNoise({ accountant, options, eventFor, target: { epsilon: flags.epsilon as number, delta } });

  const event = eventFor(noiseMultiplier);
  const answers = Object.fromEntries(
    answerNames.map((name) => [name, ask(name, options, event, delta)]),
  ) as AccountResult['answers'];
  const quoted = (['pld', 'rdp'] as const).find((name) => 'epsilon' in answers[name]);
  const guarantee = quoted && (answers[quoted] as Guarantee);
  const statement = guarantee
    ? privacyStatement(event, guarantee, flags.records === undefined ? {} : { records: flags.records })
    : [];
  const series =
    every === undefined
      ? undefined
      : placesOf(steps, every).map((step) => ({
          step,
          ...ask(accountant, options, eventFor(noiseMultiplier, step), delta),
        }));
  // Fixed-size disjoint batches: replacing one example changes the clipped sum by at most twice the clip norm, once per epoch.
  const epochs = Math.max(1, Math.ceil(steps * sampleRate - 1e-9));
  const shuffled = { epochs, epsilon: gaussianEpsilon(delta, (2 * Math.sqrt(epochs)) / noiseMultiplier) };
  return { noiseMultiplier, answers, shuffled, statement, ...(quoted && { quoted }), ...(series && { series }) };
}

/** The JSON document. */
export function accountDocument({ sampleRate, steps, delta }: AccountFlags, result: AccountResult) {
  const { noiseMultiplier, answers, shuffled, statement, quoted, series } = result;
  return {
    delta,
    neighbours: 'add-or-remove-one',
    unit: 'example',
    sampleRate,
    steps,
    noiseMultiplier,
    epsilon: Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, brief(answer)])),
    ...(quoted && { quoted }),
    shuffled: { ...shuffled, neighbours: 'replace-one', bound: 'upper' },
    ...(series && {
      series: series.map((place) => {
        const { epsilon, error } = brief(place);
        return { step: place.step, ...(error === undefined ? { epsilon } : { error }) };
      }),
    }),
    statement,
  };
}

/** JSON has no infinity: it becomes null, with a warning. */
function brief(answer: Answer): Readonly<Record<string, unknown>> {
  if ('error' in answer) return { error: answer.error };
  const { epsilon, bound, order, lower, estimate, upper } = answer;
  const warnings = [
    ...answer.warnings,
    ...(Number.isFinite(epsilon) ? [] : ['this accountant gives no finite epsilon']),
  ];
  const figures = { epsilon, bound, order, lower, estimate, upper, ...(warnings.length > 0 && { warnings }) };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}

function expectName<Name extends string>(what: string, given: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new ArgumentError(`invalid ${what}: expected ${names.join(' or ')}, got ${given}`);
  return found;
}

function ask(name: AnswerName, options: AccountantChoice, event: PrivacyEvent, delta: number): Answer {
  try {
    return accountantOf(name, options).compose(event).epsilon(delta);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    return { error: error.message };
  }
}

const placesOf = (steps: number, every: number): number[] =>
  Array.from({ length: Math.ceil(steps / every) }, (_, i) => Math.min(steps, (i + 1) * every));
