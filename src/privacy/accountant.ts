// What every accountant does, and what travels with every number it gives.

import { ArgumentError, check, nonNegativeInteger } from '../checks/index.js';
import { bisect } from '../math/index.js';
import { atLeastZero, belowOne } from './checks.js';
import { checkedEvent, composed, none, type PrivacyEvent, selfComposed } from './events.js';
import { type Neighbours, refuseNeighbours } from './neighbours.js';
import { describeKind, innermost, type Release, releases, type SimpleEvent } from './releases.js';

export type Unit = 'example' | 'user';
/** Equal to the truth, at least the truth, or near it on an unknown side. */
export type Bound = 'exact' | 'upper' | 'approximate';
export type AccountantName = 'basic' | 'advanced' | 'moments' | 'zcdp' | 'rdp' | 'pld' | 'gdp' | 'metric';

export interface Relation {
  readonly neighbours: Neighbours;
  readonly unit: Unit;
}

export interface Guarantee extends Relation {
  readonly accountant: AccountantName;
  readonly epsilon: number;
  readonly delta: number;
  readonly bound: Bound;
  /** The Rényi order that gave the bound. */
  readonly order?: number;
  /** For the number asked for: the truth lies between lower and upper, probably near the estimate. */
  readonly lower?: number;
  readonly estimate?: number;
  readonly upper?: number;
  /** exp(factor · distance) between records this far apart; not comparable with epsilon. */
  readonly metric?: { readonly factor: number; readonly distances: readonly string[] };
  readonly warnings: readonly string[];
}

export interface Accountant extends Relation {
  readonly name: AccountantName;
  readonly event: PrivacyEvent;
  supports(event: PrivacyEvent): boolean;
  /** A new accountant that has also seen this event, `count` times. */
  compose(event: PrivacyEvent, count?: number): Accountant;
  epsilon(delta: number): Guarantee;
  delta(epsilon: number): Guarantee;
}

type Figures = Omit<Guarantee, 'accountant' | 'neighbours' | 'unit' | 'delta' | 'epsilon' | 'warnings'> & {
  readonly value: number;
  readonly warnings?: readonly string[];
};

/** The pure functions an accountant is made of. */
export interface Rules {
  readonly name: AccountantName;
  /** Why a simple event, whose own neighbours fit, cannot be counted; undefined when it can. */
  refuse(event: SimpleEvent, relation: Relation): string | undefined;
  epsilon(events: readonly Release[], delta: number, relation: Relation): Figures;
  delta(events: readonly Release[], epsilon: number, relation: Relation): Figures;
}

export type AccountantOptions = Partial<Relation>;

/** The thin object over the rules. */
export function makeAccountant(rules: Rules, options: AccountantOptions = {}): Accountant {
  const { neighbours = 'add-or-remove-one', unit = 'example' } = options;
  check({ neighbours }, 'add-or-remove-one or replace-one', (name) => /^(add-or-remove|replace)-one$/.test(name));
  check({ unit }, 'example or user', (name) => name === 'example' || name === 'user');
  return withEvent(rules, { neighbours, unit }, none);
}

function withEvent(rules: Rules, relation: Relation, event: PrivacyEvent): Accountant {
  const { name } = rules;
  const events = releases(event);
  const finish = (figures: Figures, epsilon: number, delta: number): Guarantee => {
    const { value: _, warnings = [], ...rest } = figures;
    return Object.freeze({ accountant: name, ...relation, epsilon, delta, ...rest, warnings });
  };
  return Object.freeze({
    name,
    ...relation,
    event,
    supports: (candidate: PrivacyEvent) => refusal(rules, relation, checkedEvent(candidate)) === undefined,
    compose(said: PrivacyEvent, count = 1) {
      nonNegativeInteger({ count });
      const next = checkedEvent(said);
      const refused = refusal(rules, relation, next);
      if (refused !== undefined) throw new ArgumentError(`the ${name} accountant cannot count ${refused}`);
      const added = count === 1 ? next : selfComposed(count, next);
      return withEvent(rules, relation, event.kind === 'none' ? added : composed([event, added]));
    },
    epsilon(delta: number) {
      belowOne({ delta });
      const figures = rules.epsilon(events, delta, relation);
      return finish(figures, figures.value, delta);
    },
    delta(epsilon: number) {
      atLeastZero({ epsilon });
      const figures = rules.delta(events, epsilon, relation);
      return finish(figures, epsilon, figures.value);
    },
  });
}

/** What cannot be counted and why: the neighbours come first, wherever the event stands. */
function refusal(rules: Rules, relation: Relation, event: PrivacyEvent): string | undefined {
  const reasons = [
    ...innermost(event).map((inner) => [inner, refuseNeighbours(inner, relation.neighbours)] as const),
    ...releases(event).map((release) => [release.event, rules.refuse(release.event, relation)] as const),
  ];
  const found = reasons.find(([, reason]) => reason !== undefined);
  return found && `${describeKind(found[0])}: ${found[1]}`;
}

/** The smallest δ whose ε does not exceed the one given, for rules that only know ε(δ). */
export function deltaFromEpsilon(epsilonAt: (delta: number) => number, epsilon: number): number {
  if (epsilonAt(0) <= epsilon) return 0;
  const enough = (logDelta: number) => epsilonAt(Math.exp(logDelta)) <= epsilon;
  if (!enough(-1e-12)) return 1;
  if (enough(-700)) return Math.exp(-700);
  return Math.exp(bisect(enough, -700, -1e-12, { absolute: 1e-12 }));
}
