// The masks of dropout in training. A mask follows from the seed, the step, the place and the example's own tokens, and from nothing
// else: not from the other examples, the micro-batch, or the length that the example is padded to. So every example's gradient is that of
// the example alone, clipping bounds it as before, and the guarantee holds though the masks are not secret. Were masks drawn by the number
// of the example instead, leaving one example out would change the masks of all later ones, and more than one gradient with them.

import { ArgumentError, advice, option, say, setting } from '../checks/index.js';
import type { Feeds } from '../engine/index.js';
import {
  type DropoutPlace,
  type DropoutRates,
  type DropoutScope,
  dropoutRoles,
  type Model,
  maskInput,
} from '../models/index.js';
import { type MaskLaw, maskLaw, type SeededSource, seededSource } from '../random/index.js';

/** Dropout of a training run. */
export interface DropoutSettings {
  readonly rates: DropoutRates;
  /** Also below the trainable parameters, which then cannot be cached. Default: false. */
  readonly frozen?: boolean;
}

/** Dropout of one step of a run. */
export interface StepDropout extends DropoutSettings {
  /** Seeds the masks. It need not be secret. */
  readonly seed: number | string;
  readonly step: number;
}

/** The roles that have a rate above 0. */
export const scopeOf = ({ rates, frozen = false }: DropoutSettings): DropoutScope => ({
  roles: dropoutRoles.filter((role) => rates[role] > 0),
  frozen,
});

/** Throws if dropout would change nothing, because it acts only on what depends on trainable parameters and on what a classifier reads. */
export function expectDropoutActs(model: Model, trainable: readonly string[], dropout: DropoutSettings): void {
  const built = model.build({ batch: 1, tokens: 1, trainable, dropout: scopeOf(dropout) });
  built.classify();
  if (built.dropoutPlaces.length > 0) return;
  const ways = advice(
    say`drop there too with ${setting('dropoutFrozen', true)}`,
    say`choose more in ${option('trainable')}`,
  );
  throw new ArgumentError(
    say`${option('dropout')} would change nothing: all places where this model drops lie in its frozen part: ${ways}`,
  );
}

/** Names what decides the graph: graphs of other rates at the same places are the same. */
export const scopeKey = (dropout: DropoutSettings | undefined): string => {
  if (dropout === undefined) return '';
  const { roles, frozen } = scopeOf(dropout);
  return ` dropout ${roles.join()} ${frozen}`;
};

/** Draws the masks of a micro-batch into arrays that the next one of the same shape overwrites. */
export type DrawMasks = (dropout: StepDropout, members: readonly number[]) => Feeds;

/** Makes the function that draws masks for graphs with these places. */
export function makeMasks(places: readonly DropoutPlace[], inputIds: readonly (readonly number[])[]): DrawMasks {
  const arrays = places.map(({ mask }) => new Float32Array(mask.shape.reduce((size, length) => size * length, 1)));
  const feeds = Object.fromEntries(places.map(({ name }, place) => [maskInput(name), arrays[place] as Float32Array]));
  let drawn = '';
  return (dropout, members) => {
    const { seed, step, rates } = dropout;
    const laws = places.map(({ role }) => lawOf(rates[role]));
    // The same again for steps that are looked at, which ask for the gradients of a batch more than once.
    const wanted = JSON.stringify([seed, step, rates, members]);
    if (wanted === drawn) return feeds;
    const source = seededSource(seed).stream('dropout').stream(step);
    for (const [row, member] of members.entries()) {
      const ids = inputIds[member] as readonly number[];
      const own = source.stream(ids.join(' '));
      for (const [index, { name, mask }] of places.entries()) {
        const area = { row, shape: mask.shape, tokens: ids.length };
        fillMask(arrays[index] as Float32Array, laws[index] as MaskLaw, own.stream(name), area);
      }
    }
    drawn = wanted;
    return feeds;
  };
}

interface Area {
  /** Row of the micro-batch. */
  readonly row: number;
  readonly shape: readonly number[];
  /** Tokens of the example without padding. What lies beyond them reaches neither its loss nor its gradient. */
  readonly tokens: number;
}

function fillMask(into: Float32Array, law: MaskLaw, own: SeededSource, { row, shape, tokens }: Area): void {
  const source = { words: own, extra: own.stream('more') };
  const [, first = 1, second = 1, third = 1] = shape;
  const start = row * first * second * third;
  if (shape.length === 4) {
    for (let head = 0; head < first; head++) {
      const place = { start: start + head * second * third, rows: tokens, length: tokens, stride: third };
      law.fill(source, into, place);
    }
  } else {
    const length = shape.length === 3 ? tokens * second : first;
    law.fill(source, into, { start, rows: 1, length, stride: length });
  }
}

const laws = new Map<number, MaskLaw>();

function lawOf(rate: number): MaskLaw {
  const law = laws.get(rate) ?? maskLaw(rate);
  laws.set(rate, law);
  return law;
}
