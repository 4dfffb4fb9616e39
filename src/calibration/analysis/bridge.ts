// σ and κ side by side: how much noise of one mechanism leaks as much as a level of another, as it was measured, and as the cosine that both leave
// on one shared gradient predicts. It holds for one set of shared parameters, whose size decides what κ means.

import { bisect } from '../../math/index.js';
import { mechanismOf, type NoiseContext } from '../../mechanisms/index.js';
import type { Pair } from './compare-curves.js';
import { leakageCurve, measuredAttacks, triedMechanisms } from './curves.js';
import { pairsOf } from './equal-leakage.js';
import { recoversText } from './goals.js';
import { guaranteeAt, isKnown } from './guarantees.js';
import { mechanismNamed } from './level.js';
import { isConclusive, leakageOutcome } from './outcomes.js';
import { type CurveStop, leastNoise, type Range, stopsOf } from './readings.js';
import type { Level, StatedEpsilon, StudyResults } from './results.js';
import { stoppedShare } from './shares.js';

/** The noise of two mechanisms at equal leakage by one attack. */
export interface Bridge {
  readonly attack: string;
  readonly mechanisms: Pair<string>;
  /** From the least noise to the most. */
  readonly rows: readonly BridgeRow[];
}

/** A level of the first mechanism, and the noise of the second that leaks as much. */
export interface BridgeRow {
  readonly level: Level;
  /** What the attack gets there. */
  readonly leakage: Range;
  /** The parameter of the second mechanism at which the attack gets as much; absent if its levels do not show it. */
  readonly parameter?: number;
  /** Ends of its 95 % interval, from less noise to more, from both curves; absent where the levels do not show them. */
  readonly interval: { readonly least?: number; readonly most?: number };
  /** The parameter at which one shared gradient keeps the same expected cosine; absent where no formula is known. */
  readonly predicted?: number;
  /** ε of training and of one client's shared gradients, for both mechanisms. */
  readonly training: Pair<StatedEpsilon | undefined>;
  readonly sharing: Pair<StatedEpsilon | undefined>;
}

type Bridged = Pick<StudyResults, 'study' | 'shared' | 'levels' | 'mechanisms' | 'attacks' | 'data'>;

/** One entry per reconstruction attack and pair of mechanisms under both of which it can show what noise does. */
export function bridgesOf(results: Bridged): Bridge[] {
  const pairs = pairsOf(triedMechanisms(results).map(({ name }) => name));
  return measuredAttacks(results)
    .filter(recoversText)
    .flatMap(({ name }) => pairs.flatMap((pair) => bridgeOf(results, name, pair) ?? []));
}

function bridgeOf(results: Bridged, attack: string, mechanisms: Pair<string>): Bridge | undefined {
  const curves = mechanisms.map((name) => leakageCurve(results, attack, name));
  const [outcome, other] = curves.map((curve) => leakageOutcome(curve, true));
  if (!outcome || !other || !isConclusive(outcome) || !isConclusive(other)) return undefined;
  const [first, second] = curves.map((curve) => stopsOf(curve, results.mechanisms, true)) as [CurveStop[], CurveStop[]];
  const { mean: top, floor } = outcome.start;
  const rows = first.flatMap((stop) => {
    const height = (stop.mean - floor) / (top - floor);
    // Where next to all or next to nothing comes back, any noise leaks as much.
    return height > mostHeight || height < stoppedShare ? [] : [rowOf(results, mechanisms, stop, second)];
  });
  return rows.length > 0 ? { attack, mechanisms, rows } : undefined;
}

/** Heights above this share of what comes back without noise cannot be told from it. */
const mostHeight = 0.97;

function rowOf(results: Bridged, mechanisms: Pair<string>, stop: CurveStop, second: readonly CurveStop[]): BridgeRow {
  const sign = mechanismNamed(results.mechanisms, mechanisms[1]).moreNoise === 'higher' ? 1 : -1;
  const parameterOf = (amount: number) => (Number.isFinite(amount) ? 10 ** (sign * amount) : undefined);
  const parameter = parameterOf(leastNoise(second, stop.mean).amount);
  // Both curves are uncertain: the least noise is where the lower end of one meets the upper end of the other.
  const least = parameterOf(leastNoise(second, stop.upper).lower);
  const most = parameterOf(leastNoise(second, stop.lower).upper);
  const own = stop.level.parameter as number;
  const predicted = predict(results, mechanisms, own);
  const both = (release: 'training' | 'sharing') =>
    [
      guaranteeAt(results, release, mechanisms[0], own),
      parameter === undefined ? undefined : guaranteeAt(results, release, mechanisms[1], parameter),
    ] as const;
  const { level, mean, lower, upper } = stop;
  return {
    level,
    leakage: { mean, lower, upper },
    ...(parameter !== undefined && { parameter }),
    interval: { ...(least !== undefined && { least }), ...(most !== undefined && { most }) },
    ...(predicted !== undefined && { predicted }),
    training: both('training'),
    sharing: both('sharing'),
  };
}

/** The second mechanism's parameter at the cosine that the first one's leaves on one shared gradient. */
function predict({ study, data, shared }: Bridged, mechanisms: Pair<string>, parameter: number): number | undefined {
  if (!mechanisms.every(isKnown)) return undefined;
  const [first, second] = mechanisms.map((name) => mechanismOf(name).grids.cosine);
  if (!first || !second) return undefined;
  const { clipNorm } = study.training;
  const sizes = { examples: data.train, epochs: 1, batchSize: 1, stepsPerEpoch: 1, steps: 1 };
  const context: NoiseContext = { sizes, training: { clipNorm }, numbers: shared.numbers, scope: study.sharing.scope };
  const cosine = (logit: number) => 1 / (1 + Math.exp(-logit));
  const isHigher = mechanismOf(mechanisms[0]).parameter?.moreNoise === 'lower';
  // More cosine is less noise.
  const reaches = (logit: number) => {
    const found = first.parameterFor(cosine(logit), context);
    return isHigher ? found >= parameter : found <= parameter;
  };
  return second.parameterFor(cosine(bisect(reaches, -25, 25, { absolute: 1e-9 })), context);
}
