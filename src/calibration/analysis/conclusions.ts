// What a study concludes, as data: which noise stops reconstruction, where utility falls, the gap between the two, and which
// comparisons of mechanisms are conclusive.

import { type Curve, type CurveSource, leakageCurve, triedMechanisms, utilityCurve } from './curves.js';
import { type GenieConclusion, genieConclusions } from './genie.js';
import { recoversText } from './goals.js';
import { noiseAmount } from './level.js';
import { type ConclusiveOutcome, type CurveOutcome, isConclusive, leakageOutcome, utilityOutcome } from './outcomes.js';
import type { Level, StudyResults } from './results.js';

/** What a study concludes; the report puts it into words. */
export interface Conclusions {
  /** One entry per mechanism that has levels. */
  readonly mechanisms: readonly MechanismConclusions[];
  /** The entries of `equalLeakage` that are conclusive: an attack that finds nothing without noise cannot compare mechanisms. */
  readonly comparisons: readonly ComparedPair[];
}

/** An attack, and the two mechanisms that it compares. */
export interface ComparedPair {
  readonly attack: string;
  readonly mechanisms: readonly [string, string];
}

/** What a study concludes about one mechanism. */
export interface MechanismConclusions {
  readonly mechanism: string;
  /** What happens to the leakage of each attack. */
  readonly leakage: readonly { readonly attack: string; readonly outcome: CurveOutcome }[];
  /** Absent if no reconstruction attack is conclusive. */
  readonly reconstruction?: Reconstruction;
  /** What a genie could read, one entry per attack that has one; absent if no genie was asked. */
  readonly genie?: readonly GenieConclusion[];
  readonly utility: CurveOutcome;
  /** Absent if no level both stops reconstruction and keeps utility, or if that is unknown. */
  readonly gap?: Gap;
}

/** Where reconstruction stops. */
export interface Reconstruction {
  /** The attack that needs the most noise to be stopped. */
  readonly decidedBy: string;
  /** The level from which on all reconstruction attacks are stopped; absent if no measured level does that. */
  readonly stopsAt?: Level;
}

/** The range of levels that stop reconstruction and keep utility. */
export interface Gap {
  readonly from: Level;
  readonly to: Level;
  /** Ratio of the mechanism's parameter between the two ends; 1 for a single level. */
  readonly factor: number;
  /** Whether utility is kept up to the most noise, so that the gap may reach further. */
  readonly open: boolean;
}

type Concluded = CurveSource & Pick<StudyResults, 'equalLeakage'>;

/** Draws the conclusions of a study from its results. */
export function conclude(results: Concluded): Conclusions {
  const mechanisms = triedMechanisms(results).map(({ name }) => concludeFor(results, name));
  const says = ({ attack, mechanisms: pair }: ComparedPair) =>
    mechanisms.some((one) => {
      const outcome = pair.includes(one.mechanism) ? outcomeOf(one, attack) : undefined;
      return outcome !== undefined && isConclusive(outcome);
    });
  const pairs = results.equalLeakage.map(({ attack, mechanisms: pair }) => ({ attack, mechanisms: pair }));
  return { mechanisms, comparisons: pairs.filter(says) };
}

function concludeFor(results: Concluded, mechanism: string): MechanismConclusions {
  const leakage = results.attacks.map((attack) => ({
    attack: attack.name,
    outcome: leakageOutcome(leakageCurve(results, attack.name, mechanism), recoversText(attack)),
  }));
  const amountOf = (level: Level) => noiseAmount(results.mechanisms, level);
  const text = new Set(results.attacks.filter(recoversText).map(({ name }) => name));
  const reconstruction = lastToFall(
    leakage.filter(({ attack }) => text.has(attack)),
    amountOf,
  );
  const curve = utilityCurve(results, mechanism);
  const utility = utilityOutcome(curve);
  const { stopsAt } = reconstruction ?? {};
  const gap = stopsAt && gapOf(stopsAt, utility, curve, amountOf);
  const genie = genieConclusions(results, mechanism);
  return {
    mechanism,
    leakage,
    ...(reconstruction && { reconstruction }),
    ...(genie.length > 0 && { genie }),
    utility,
    ...(gap && { gap }),
  };
}

type AmountOf = (level: Level) => number;

/** The attack that needs the most noise to be stopped; the first one of several. */
export function lastToFall(outcomes: MechanismConclusions['leakage'], amountOf: AmountOf): Reconstruction | undefined {
  const needed = outcomes.flatMap(({ attack, outcome }) => {
    if (!isConclusive(outcome)) return [];
    const stopsAt = outcome.kind === 'falls' ? outcome.at.level : undefined;
    return [{ attack, stopsAt, amount: stopsAt ? amountOf(stopsAt) : Number.POSITIVE_INFINITY }];
  });
  const [first, ...others] = needed;
  if (!first) return undefined;
  const { attack, stopsAt } = others.reduce((most, one) => (one.amount > most.amount ? one : most), first);
  return { decidedBy: attack, ...(stopsAt && { stopsAt }) };
}

function gapOf(stopsAt: Level, utility: CurveOutcome, { noisy }: Curve, amountOf: AmountOf): Gap | undefined {
  if (!isConclusive(utility)) return undefined;
  const { dip } = utility;
  const to = utility.kind === 'never falls' ? utility.last.level : utility.before.level;
  // Levels before a dip do not belong to the gap.
  const after = dip && noisy.find(({ level }) => amountOf(level) > amountOf(dip.level))?.level;
  const from = after && amountOf(after) > amountOf(stopsAt) ? after : stopsAt;
  const reach = amountOf(to) - amountOf(from);
  return reach < 0 ? undefined : { from, to, factor: 10 ** reach, open: utility.kind === 'never falls' };
}

/** What happens to an attack under a mechanism. */
export const outcomeOf = ({ leakage }: MechanismConclusions, attack: string): CurveOutcome | undefined =>
  leakage.find((one) => one.attack === attack)?.outcome;

/** The outcome of the attack that decides where reconstruction stops. */
export function reconstructionOutcome(conclusions: MechanismConclusions): ConclusiveOutcome | undefined {
  const { reconstruction } = conclusions;
  const outcome = reconstruction && outcomeOf(conclusions, reconstruction.decidedBy);
  return outcome && isConclusive(outcome) ? outcome : undefined;
}
