// One model of a world as the target of a membership attack, and all others as the attacker's own.

import type { MembershipTruth, ReferenceTruth, Sides } from '../evaluation/membership.js';
import { lossOfMargin } from '../membership/margins.js';
import type { Insight } from '../view.js';
import type { ModelExamples } from './assignment.js';
import type { QueriedData } from './queries.js';

/** What one model of a world says of all examples, and which of them are its own. */
export interface WorldMember extends ModelExamples {
  readonly margins: Float64Array;
  /** What its parameters and training show of its members and others. Default: nothing. */
  readonly insight?: Sides<Insight>;
}

/** What else is known of the examples of a world. */
export interface ExampleFacts {
  /** Groups of all examples. Default: none. */
  readonly groups?: readonly (string | undefined)[];
  /** Which of the margins are of texts that the attack asked about for a candidate; they follow those of the examples. Default: none. */
  readonly queried?: Pick<QueriedData, 'examples' | 'queriesOf'>;
}

/** The candidates are the members and others of the target; the rest of the world serves as population where it is not among them. */
export function truthOf(
  models: readonly WorldMember[],
  target: number,
  { groups, queried }: ExampleFacts = {},
): MembershipTruth {
  const own = models[target] as WorldMember;
  const rest = models.filter((_, model) => model !== target);
  const sides = <T>(of: (example: number) => T) => ({ members: own.members.map(of), others: own.others.map(of) });
  const margins = sides((example) => own.margins[example] as number);
  const used = new Set([...own.members, ...own.others, ...rest.flatMap(({ members }) => members)]);
  const unused = [...own.margins.keys()].slice(0, queried?.examples).filter((example) => !used.has(example));
  const at = (numbers: Float64Array, examples: readonly number[]) =>
    Float64Array.from(examples, (example) => numbers[example] as number);
  return {
    members: margins.members.map(lossOfMargin),
    others: margins.others.map(lossOfMargin),
    margins,
    ...(own.insight && { insight: own.insight }),
    ...(queried && {
      queried: sides((example) => at(own.margins, queried.queriesOf(example)).map(lossOfMargin)),
    }),
    ...(groups && { groups: sides((example) => groups[example]) }),
    references: rest.map((model): ReferenceTruth => {
      const inside = new Set(model.members);
      return {
        margins: sides((example) => model.margins[example] as number),
        inside: sides((example) => Number(inside.has(example))),
        own: {
          members: at(model.margins, model.members),
          others: at(model.margins, model.others),
          ...(model.insight && { insight: model.insight }),
        },
      };
    }),
    ...(unused.length > 0 && {
      population: { margins: at(own.margins, unused), references: rest.map((model) => at(model.margins, unused)) },
    }),
  };
}
