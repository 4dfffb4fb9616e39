// Where a curve falls with noise. Heights are counted from the floor (0) to what there is without noise (1).

import type { AttackName, StudyResults } from '../calibration/index.js';
import { amount, attacksOf, type Curve, leakageCurve, type Point, utilityCurve } from './curves.js';
import { attacks, type NoisyMechanism } from './words.js';

/** Less than this share of the height is as good as nothing. */
const littleShare = 0.1;
/** Below this height over the floor there is nothing that noise could take away. */
const leastHeight = 0.03;

export type Fall =
  /** Nothing to lose: at the floor without noise already, or not measured. */
  | { readonly kind: 'nothing'; readonly start?: Point }
  /** Still there at the most noise. */
  | { readonly kind: 'never'; readonly start: Point; readonly last: Point }
  /** Down from `at` on, still up at `before`, which may be the start. */
  | { readonly kind: 'falls'; readonly start: Point; readonly before?: Point; readonly at: Point };

/** From which level on the curve stays down, by `isDown` of height and point. */
function fallOf({ clean, noisy }: Curve, isDown: (height: number, point: Point) => boolean): Fall {
  const start = clean ?? noisy[0];
  const last = noisy.at(-1);
  if (!start || !last) return { kind: 'nothing' };
  const range = start.value.mean - start.floor;
  if (range < leastHeight || (start.value.values.length > 1 && start.value.lower <= start.floor))
    return { kind: 'nothing', start };
  const down = noisy.map((point) => isDown((point.value.mean - point.floor) / range, point));
  let place = noisy.length;
  while (place > 0 && down[place - 1]) place -= 1;
  const at = noisy[place];
  if (!at) return { kind: 'never', start, last };
  const before = noisy[place - 1] ?? clean;
  return { kind: 'falls', start, at, ...(before && { before }) };
}

/** An attack is stopped where it gets a tenth of what it gets without noise. Few texts with wide intervals do not count as stopped. */
export const leakageFall = (curve: Curve): Fall => fallOf(curve, (height) => height <= littleShare);

/** Utility has fallen where half of what training gained over the most frequent class is gone. */
const utilityFall = (curve: Curve): Fall => fallOf(curve, (height) => height < 0.5);

export interface Falls {
  readonly mechanism: NoisyMechanism;
  /** Of each attack that gets text back. */
  readonly reconstructions: readonly { readonly attack: AttackName; readonly fall: Fall }[];
  /** The attack that holds out longest; nothing where none finds anything. */
  readonly stop?: Exclude<Fall, { kind: 'nothing' }>;
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
    .map(({ attack, curve }) => ({ attack, fall: leakageFall(curve) }));
  const curve = utilityCurve(results, mechanism);
  const utility = utilityFall(curve);
  const found = reconstructions.flatMap(({ fall }) => (fall.kind === 'nothing' ? [] : [fall]));
  const stop = found.reduce<(typeof found)[number] | undefined>(
    (a, b) => (a && latest(a) >= latest(b) ? a : b),
    undefined,
  );
  const base = { mechanism, reconstructions, utility, ...(stop && { stop }) };
  const gap = stop?.kind === 'falls' ? gapOf(stop.at, utility, curve) : undefined;
  return gap ? { ...base, gap } : base;
}

const latest = (fall: Exclude<Fall, { kind: 'nothing' }>): number =>
  fall.kind === 'never' ? Number.POSITIVE_INFINITY : amount(fall.at.level);

function gapOf(from: Point, utility: Fall, curve: Curve): Falls['gap'] {
  const to = utility.kind === 'never' ? utility.last : utility.kind === 'falls' ? utility.before : undefined;
  const reach = to && amount(to.level) - amount(from.level);
  if (!to || reach === undefined || reach < 0 || curve.noisy.length === 0) return undefined;
  return { from, to, open: utility.kind === 'never', factor: 10 ** reach };
}
