// `epsilens account`: ε of DP-SGD by every accountant, or the noise for a target ε.

import { ArgumentError, check } from '../math/index.js';
import {
  type Accountant,
  advancedAccountant,
  basicAccountant,
  calibrateNoise,
  dpSgd,
  type Guarantee,
  gaussianEpsilon,
  gdpAccountant,
  momentsAccountant,
  type PrivacyEvent,
  pldAccountant,
  privacyStatement,
  rdpAccountant,
  zcdpAccountant,
} from '../privacy/index.js';
import { type Command, positiveNumber, wholeNumber } from './command.js';

interface AccountFlags {
  readonly sampleRate: number;
  readonly noise?: number;
  readonly targetEpsilon?: number;
  readonly steps: number;
  readonly delta: number;
  readonly accountant: string;
  readonly orders: string;
  readonly records?: number;
  readonly every?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addAccount(program: Command): void {
  program
    .command('account')
    .description(
      'epsilon of DP-SGD (Poisson lots, clipped sums, normal noise) by every accountant, or the noise for one',
    )
    .requiredOption('--sample-rate <q>', 'probability of an example to be in a lot', positiveNumber)
    .option('--noise <multiplier>', 'standard deviation of the noise over the clip norm', positiveNumber)
    .option('--target-epsilon <epsilon>', 'find the noise for this epsilon instead', positiveNumber)
    .requiredOption('--steps <count>', 'number of lots', wholeNumber(1))
    .requiredOption('--delta <delta>', 'well below one over the number of examples', positiveNumber)
    .option('--accountant <name>', 'for --target-epsilon and --every: pld or rdp', 'pld')
    .option('--orders <grid>', 'orders of the RDP accountant: default, or published (as Opacus has them)', 'default')
    .option('--records <count>', 'number of examples, to judge delta', wholeNumber(1))
    .option('--every <steps>', 'also epsilon after every so many steps', wholeNumber(1))
    .option('--json', 'print one JSON document and nothing else')
    .option('--quiet', 'accepted for uniformity; there is no progress to hide')
    .action((flags: AccountFlags) => {
      const result = account(flags);
      process.stdout.write(flags.json ? `${JSON.stringify(result.document, null, 2)}\n` : describe(flags, result));
    });
}

type Answer = Guarantee | { readonly error: string };

interface AccountResult {
  readonly noiseMultiplier: number;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly shuffled: { readonly epochs: number; readonly epsilon: number };
  readonly series?: readonly { readonly step: number; readonly epsilon: number }[];
  readonly statement: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
}

function account(flags: AccountFlags): AccountResult {
  const { sampleRate, steps, delta, every } = flags;
  if ((flags.noise === undefined) === (flags.targetEpsilon === undefined)) {
    throw new ArgumentError('expected either --noise or --target-epsilon');
  }
  check({ delta }, 'above 0 and below 1', (value) => value < 1);
  const makers = makeAccountants(flags.orders);
  const chosen = flags.accountant === 'pld' || flags.accountant === 'rdp' ? makers[flags.accountant] : undefined;
  if (chosen === undefined) throw new ArgumentError(`invalid accountant: expected pld or rdp, got ${flags.accountant}`);
  const eventFor = (noiseMultiplier: number, count = steps): PrivacyEvent =>
    dpSgd({ sampleRate, noiseMultiplier, steps: count });
  const noiseMultiplier = flags.noise ?? findNoise(chosen, makers.rdp, eventFor, flags);

  const event = eventFor(noiseMultiplier);
  const answers = Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, ask(make, event, delta)]));
  const series = every === undefined ? undefined : seriesOf(chosen, eventFor, noiseMultiplier, flags);
  const quoted = [answers.pld, answers.rdp].find((answer) => answer !== undefined && 'epsilon' in answer);
  const statement =
    quoted !== undefined && 'epsilon' in quoted
      ? privacyStatement(event, quoted, flags.records === undefined ? {} : { records: flags.records })
      : [];
  const epochs = Math.max(1, Math.ceil(steps * sampleRate - 1e-9));
  // Fixed-size disjoint batches: replace one, so the clipped sum may change by twice the clip norm; once an epoch.
  const shuffled = { epochs, epsilon: gaussianEpsilon(delta, (2 * Math.sqrt(epochs)) / noiseMultiplier) };
  const document = {
    delta,
    neighbours: 'add-or-remove-one',
    unit: 'example',
    sampleRate,
    steps,
    noiseMultiplier,
    epsilon: Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, brief(answer)])),
    shuffled: { ...shuffled, neighbours: 'replace-one', bound: 'upper' },
    ...(series && { series }),
    statement,
  };
  return { noiseMultiplier, answers, shuffled, ...(series && { series }), statement, document };
}

/** RDP is quick and gives a little too much noise: from there the accountant asked for need not go far. */
function findNoise(
  chosen: () => Accountant,
  rdp: () => Accountant,
  eventFor: (noise: number) => PrivacyEvent,
  { targetEpsilon, delta }: AccountFlags,
): number {
  const target = { epsilon: targetEpsilon as number, delta };
  const { parameter: start } = calibrateNoise({ makeAccountant: rdp, eventFor, target });
  if (chosen === rdp) return start;
  return calibrateNoise({ makeAccountant: chosen, eventFor, target, start, tolerance: 1e-4 }).parameter;
}

function makeAccountants(orders: string) {
  if (orders !== 'default' && orders !== 'published') {
    throw new ArgumentError(`invalid orders: expected default or published, got ${orders}`);
  }
  return {
    pld: () => pldAccountant(),
    rdp: () => rdpAccountant({ orders }),
    moments: () => momentsAccountant(),
    zcdp: () => zcdpAccountant(),
    advanced: () => advancedAccountant(),
    basic: () => basicAccountant(),
    gdp: () => gdpAccountant(),
  };
}

/** An accountant that cannot answer says why, and the others still do. */
function ask(make: () => Accountant, event: PrivacyEvent, delta: number): Answer {
  try {
    return make().compose(event).epsilon(delta);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    return { error: error.message };
  }
}

function brief(answer: Answer): Readonly<Record<string, unknown>> {
  if ('error' in answer) return answer;
  const { epsilon, bound, order, lower, estimate, upper, warnings } = answer;
  const figures = { epsilon, bound, order, lower, estimate, upper, ...(warnings.length > 0 && { warnings }) };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}

function seriesOf(
  make: () => Accountant,
  eventFor: (noise: number, steps: number) => PrivacyEvent,
  noise: number,
  { steps, every, delta }: AccountFlags,
) {
  const places = Array.from({ length: Math.ceil(steps / (every as number)) }, (_, i) =>
    Math.min(steps, (i + 1) * (every as number)),
  );
  return places.map((step) => ({ step, epsilon: make().compose(eventFor(noise, step)).epsilon(delta).epsilon }));
}

const meanings: Readonly<Record<string, string>> = {
  pld: 'the tightest; quote its upper end',
  rdp: 'an upper bound, quicker; what most papers quote',
  moments: 'upper bound of Abadi et al. 2016',
  zcdp: 'upper bound without amplification by sampling',
  advanced: 'upper bound by advanced composition',
  basic: 'upper bound by adding up',
  gdp: 'an approximation that may be too low: do not quote',
};

function describe({ sampleRate, steps, delta }: AccountFlags, result: AccountResult): string {
  const { answers, noiseMultiplier, shuffled, series, statement } = result;
  const rows = Object.entries(answers).map(([name, answer]) => {
    if ('error' in answer) return `  ${name.padEnd(10)}${'–'.padStart(10)}   ${answer.error}`;
    const { epsilon, order, lower, upper } = answer;
    const details = [
      ...(lower !== undefined && upper !== undefined ? [`between ${figure(lower)} and ${figure(upper)}`] : []),
      ...(order === undefined ? [] : [`order ${order}`]),
      meanings[name] ?? '',
    ];
    return `  ${name.padEnd(10)}${figure(epsilon).padStart(10)}   ${details.join('; ')}`;
  });
  const curve = series?.map(({ step, epsilon }) => `  ${`${step}`.padStart(9)}${figure(epsilon).padStart(11)}`) ?? [];
  return `${[
    `DP-SGD: sample rate ${sampleRate}, noise multiplier ${figure(noiseMultiplier)}, ${steps} steps, delta ${delta}`,
    'neighbours: add or remove one example',
    '',
    `  ${'accountant'.padEnd(10)}${'epsilon'.padStart(10)}`,
    ...rows,
    '',
    `  Shuffled batches instead of Poisson lots: epsilon ${figure(shuffled.epsilon)} over ${shuffled.epochs} epochs (replace one,`,
    '  no amplification is proved). The table holds for Poisson lots only.',
    ...(curve.length > 0 ? ['', '       step    epsilon', ...curve] : []),
    '',
    ...statement,
  ].join('\n')}\n`;
}

const figure = (number: number): string => (Number.isFinite(number) ? `${Number(number.toPrecision(5))}` : 'infinite');
