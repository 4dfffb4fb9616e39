// Where a curve falls with noise. Heights are counted from the floor (0) to what there is without noise (1).

import type { AttackName, StudyResults } from '../calibration/index.js';
import { amount, attacksOf, type Curve, leakageCurve, type Point, utilityCurve } from './curves.js';
import { attacks, type NoisyMechanism } from './words.js';

/** Less than this share of the height is as good as nothing. */
const littleShare = 0.1;
/** No single text may come back by more than this share: a mean over twenty hides one that does in full. */
const textShare = 0.5;
/** Below this height over the floor there is nothing that noise could take away. */
const leastHeight = 0.03;

interface Course {
  readonly start: Point;
  /** Some level of the mechanism was not measured. */
  readonly partial: boolean;
  /** The last level that is down although a later one, with more noise, is up again. */
  readonly dip?: Point;
}

export type Fall =
  /** Not measured both with and without noise. */
  | { readonly kind: 'unknown' }
  /** Nothing to lose: at the floor without noise already. */
  | { readonly kind: 'nothing'; readonly start: Point }
  /** Above the floor, but so few texts or seeds do not tell it from that. */
  | { readonly kind: 'unsure'; readonly start: Point }
  /** Still there at the most noise. */
  | ({ readonly kind: 'never'; readonly last: Point } & Course)
  /** Down from `at` on, still up at `before`, which may be the start. */
  | ({ readonly kind: 'falls'; readonly before?: Point; readonly at: Point } & Course);

/** A fall that was seen or not seen. */
export type Seen = Extract<Fall, { readonly kind: 'never' | 'falls' }>;

export const isSeen = (fall: Fall): fall is Seen => fall.kind === 'never' || fall.kind === 'falls';

/** Whether chance alone may put the point at its floor; a single value has no interval and cannot say. */
export const isDoubtful = ({ value, floor }: Point): boolean => value.lower < value.upper && value.lower <= floor;

/** From which level on the curve stays down, by `isDown` of height and point. */
function fallOf(
  { clean: start, noisy, partial }: Curve,
  isDown: (height: number, point: Point, range: number) => boolean,
): Fall {
  const last = noisy.at(-1);
  if (!start || !last) return { kind: 'unknown' };
  const range = start.value.mean - start.floor;
  if (range < leastHeight) return { kind: 'nothing', start };
  const down = noisy.map((point) => isDown((point.value.mean - point.floor) / range, point, range));
  let place = noisy.length;
  while (place > 0 && down[place - 1]) place -= 1;
  const dip = noisy[down.lastIndexOf(true, place - 1)];
  const course = { start, partial, ...(place > 0 && dip && { dip }) };
  const at = noisy[place];
  return at ? { kind: 'falls', before: noisy[place - 1] ?? start, at, ...course } : { kind: 'never', last, ...course };
}

/** An attack is stopped where it gets a tenth of what it gets without noise. Few texts with wide intervals do not count as stopped. */
export function leakageFall(curve: Curve, isText: boolean): Fall {
  const fall = fallOf(curve, (height, { value, floor }, range) => {
    const best = (Math.max(...value.values) - floor) / range;
    return height <= littleShare && (!isText || best <= textShare);
  });
  return isSeen(fall) && isDoubtful(fall.start) ? { kind: 'unsure', start: fall.start } : fall;
}

/** Utility has fallen where half of what training gained over the most frequent class is gone. */
const utilityFall = (curve: Curve): Fall => fallOf(curve, (height) => height < 0.5);

export interface Falls {
  readonly mechanism: NoisyMechanism;
  /** Of each attack that gets text back and has results under noise. */
  readonly reconstructions: readonly { readonly attack: AttackName; readonly fall: Fall }[];
  /** The attack that holds out longest; absent where none finds anything. */
  readonly stop?: Seen;
  readonly utility: Fall;
  /** Levels that stop reconstruction and keep utility: from where to where. */
  readonly gap?: { readonly from: Point; readonly to: Point; readonly open: boolean; readonly factor: number };
}

export function fallsOf(results: StudyResults, mechanism: NoisyMechanism): Falls {
  const reconstructions = attacksOf(results)
    .filter((attack) => attacks[attack].reconstructs)
    .map((attack) => ({ attack, curve: leakageCurve(results, attack, mechanism) }))
    // Not measured under noise yet: nothing to say.
    .filter(({ curve }) => curve.noisy.length > 0)
    .map(({ attack, curve }) => ({ attack, fall: leakageFall(curve, true) }));
  const curve = utilityCurve(results, mechanism);
  const utility = utilityFall(curve);
  const found = reconstructions.map(({ fall }) => fall).filter(isSeen);
  const stop = found.reduce<Seen | undefined>((a, b) => (a && latest(a) >= latest(b) ? a : b), undefined);
  const base = { mechanism, reconstructions, utility, ...(stop && { stop }) };
  const gap = stop?.kind === 'falls' ? gapOf(stop.at, utility, curve) : undefined;
  return gap ? { ...base, gap } : base;
}

const latest = (fall: Seen): number => (fall.kind === 'never' ? Number.POSITIVE_INFINITY : amount(fall.at.level));

function gapOf(stopped: Point, utility: Fall, { noisy }: Curve): Falls['gap'] {
  if (!isSeen(utility)) return undefined;
  const { dip } = utility;
  const to = utility.kind === 'never' ? utility.last : utility.before;
  // Levels before a dip do not belong to it.
  const after = dip && noisy.find(({ level }) => amount(level) > amount(dip.level));
  const from = after && amount(after.level) > amount(stopped.level) ? after : stopped;
  const reach = to && amount(to.level) - amount(from.level);
  if (!to || reach === undefined || reach < 0) return undefined;
  return { from, to, open: utility.kind === 'never', factor: 10 ** reach };
}
