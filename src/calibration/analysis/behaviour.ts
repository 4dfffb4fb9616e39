// How attacks respond to noise: the rank correlation of leakage with noise, and a verdict. An attack whose leakage does not fall as
// noise grows cannot say how much noise is enough (docs/calibration.md).

import { ArgumentError } from '../../checks/index.js';
import type { Interval } from '../../math/index.js';
import { bootstrapIntervals, rankCorrelation } from '../../metrics/index.js';
import type { SeededSource, WordSource } from '../../random/index.js';
import { isOnCurve, noiseAmount } from './level.js';
import { type LevelLists, meanOf, resampledMeans } from './resampled-means.js';
import type { AboutMechanism, Behaviour, Estimate, Leakage, Level, LevelResults, StudyResults } from './results.js';
import { judge } from './verdict.js';

export interface LeakageAt {
  readonly level: Level;
  readonly leakage: Pick<Leakage, 'main' | 'floor'>;
}

type BehaviourFigures = Omit<Behaviour, 'attack' | 'mechanism'>;

/** The behaviour of every attack under every mechanism, if there are enough levels and items. */
export function behavioursOf(
  source: SeededSource,
  { levels, attacks, mechanisms }: Pick<StudyResults, 'levels' | 'attacks' | 'mechanisms'>,
): Behaviour[] {
  return attacks.flatMap(({ name: attack }) =>
    mechanisms.flatMap(({ name: mechanism }) => {
      const curve = leakageOf(levels, attack, mechanism);
      const found = behaviourOf(source.stream(`${attack} ${mechanism}`), curve, mechanisms);
      return found === undefined ? [] : [{ attack, mechanism, ...found }];
    }),
  );
}

/** One attack under one mechanism: no noise first, then rising noise. */
const leakageOf = (levels: readonly LevelResults[], attack: string, mechanism: string): LeakageAt[] =>
  levels.flatMap(({ level, leakage: { [attack]: leakage } }) =>
    leakage && isOnCurve(level, mechanism) ? [{ level, leakage }] : [],
  );

/** Undefined with fewer than three levels, or with a single item at some level, which cannot tell chance from noise. */
export function behaviourOf(
  source: WordSource,
  curve: readonly LeakageAt[],
  mechanisms: readonly AboutMechanism[],
): BehaviourFigures | undefined {
  if (curve.length < 3 || curve.some(({ leakage }) => leakage.main.values.length < 2)) return undefined;
  refuseDisorder(curve, mechanisms);
  const levels = curve.map(({ leakage: { main, floor } }) => ({ values: main.values, floor }));
  const { verdict, bottom } = judge(levels);
  const correlation = correlate(
    source,
    levels.map(({ values }) => values),
  );
  const at = bottom === undefined ? undefined : curve[bottom]?.level;
  return { correlation, verdict, ...(at && { bottom: at }) };
}

/** A curve without any order has correlation 0. */
function correlate(source: WordSource, lists: LevelLists): Estimate {
  const noise = lists.map((_, level) => level);
  const withNoise = (means: readonly number[]) => rankCorrelation(noise, means) || 0;
  const { sizes, means } = resampledMeans(lists);
  const [interval] = bootstrapIntervals(source, sizes, (drawn) => [withNoise(means(drawn))]) as [Interval];
  // A single item has no correlation of its own.
  return { mean: withNoise(lists.map(meanOf)), ...interval, values: [] };
}

/** Refuses curves in another order, which would be judged wrongly in silence. */
function refuseDisorder(curve: readonly LeakageAt[], mechanisms: readonly AboutMechanism[]): void {
  const amounts = curve.map(({ level }) => noiseAmount(mechanisms, level));
  const wrong = amounts.findIndex((amount, place) => place > 0 && !(amount > (amounts[place - 1] as number)));
  if (wrong > 0)
    throw new ArgumentError(`invalid levels: expected rising noise, got no more at place ${wrong} than before it`);
}
