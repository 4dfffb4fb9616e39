// The interface of accountants, and what accompanies every number they give.

import { ArgumentError, check, nonNegativeInteger } from '../checks/index.js';
import { bisect } from '../math/index.js';
import { atLeastZero, belowOne } from './checks.js';
import { checkedEvent, composed, none, type PrivacyEvent, selfComposed } from './events.js';
import { type Neighbours, refuseNeighbours } from './neighbours.js';
import { describeKind, innermost, type Release, releases, type SimpleEvent } from './releases.js';

/** The record that is protected: an example, or everything from one user. It is only reported; the numbers do not depend on it. */
export type Unit = 'example' | 'user';
/** How a number relates to the truth: equal to it, at least it, or near it on an unknown side. */
export type Bound = 'exact' | 'upper' | 'approximate';
/** The names by which `accountantOf` finds accountants. */
export type AccountantName = 'basic' | 'advanced' | 'moments' | 'zcdp' | 'rdp' | 'pld' | 'gdp' | 'metric';

export interface Relation {
  readonly neighbours: Neighbours;
  readonly unit: Unit;
}

/** An (ε, δ) guarantee, with everything that is needed to quote it. */
export interface Guarantee extends Relation {
  readonly accountant: AccountantName;
  readonly epsilon: number;
  readonly delta: number;
  readonly bound: Bound;
  /** The Rényi order that gave the bound. */
  readonly order?: number;
  /** For the number asked for, ε or δ: the truth lies between lower and upper, probably near the estimate. Only from pld. */
  readonly lower?: number;
  readonly estimate?: number;
  readonly upper?: number;
  /** Probabilities of two records differ by at most exp(factor · distance), by any of these distances. Not comparable with epsilon. */
  readonly metric?: { readonly factor: number; readonly distances: readonly string[] };
  /** What a reader of the number must know, each without its final full stop. */
  readonly warnings: readonly string[];
}

/** Turns events into ε and δ. Accountants are immutable: `compose` returns a new one. */
export interface Accountant extends Relation {
  readonly name: AccountantName;
  /** Everything composed so far. */
  readonly event: PrivacyEvent;
  /** Whether `compose` would accept this event. */
  supports(event: PrivacyEvent): boolean;
  /** A new accountant that also counts this event, `count` times (default 1). Throws, with the reason, if it cannot. */
  compose(event: PrivacyEvent, count?: number): Accountant;
  /** ε at this δ, which is at least 0 and below 1. */
  epsilon(delta: number): Guarantee;
  /** δ at this ε, which is at least 0. */
  delta(epsilon: number): Guarantee;
}

type Figures = Omit<Guarantee, 'accountant' | 'neighbours' | 'unit' | 'delta' | 'epsilon' | 'warnings'> & {
  readonly value: number;
  readonly warnings?: readonly string[];
};

/** The pure functions that make up an accountant. */
export interface Rules {
  readonly name: AccountantName;
  /** Why a simple event cannot be counted, although its neighbours fit; undefined when it can. */
  refuse(event: SimpleEvent, relation: Relation): string | undefined;
  epsilon(events: readonly Release[], delta: number, relation: Relation): Figures;
  delta(events: readonly Release[], epsilon: number, relation: Relation): Figures;
}

/** `neighbours` (default add-or-remove-one) and `unit` (default example). */
export type AccountantOptions = Partial<Relation>;

/** Makes an accountant that has counted nothing yet. */
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
    compose(given: PrivacyEvent, count = 1) {
      nonNegativeInteger({ count });
      const next = checkedEvent(given);
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

/** Which event cannot be counted and why. Neighbours are checked first, however deep the event is nested. */
function refusal(rules: Rules, relation: Relation, event: PrivacyEvent): string | undefined {
  const reasons = [
    ...innermost(event).map((inner) => [inner, refuseNeighbours(inner, relation.neighbours)] as const),
    ...releases(event).map((release) => [release.event, rules.refuse(release.event, relation)] as const),
  ];
  const found = reasons.find(([, reason]) => reason !== undefined);
  return found && `${describeKind(found[0])}: ${found[1]}`;
}

/** The smallest δ whose ε does not exceed the given one, for rules that only have ε(δ). */
export function deltaFromEpsilon(epsilonAt: (delta: number) => number, epsilon: number): number {
  if (epsilonAt(0) <= epsilon) return 0;
  const enough = (logDelta: number) => epsilonAt(Math.exp(logDelta)) <= epsilon;
  if (!enough(-1e-12)) return 1;
  if (enough(-700)) return Math.exp(-700);
  return Math.exp(bisect(enough, -700, -1e-12, { absolute: 1e-12 }));
}
