// Generated reviews for the demonstration: a judgement that a "not" turns around, among words that mean nothing. To get
// them right a model must look at two words together.

import { integerBelow, type RandomSource } from '../random/index.js';

const judgements = { good: 1, fine: 1, moving: 1, clever: 1, funny: 1, bad: 0, dull: 0, weak: 0, silly: 0, boring: 0 };
const subjects = ['film', 'book', 'play', 'song', 'meal', 'hotel', 'story', 'match'];
const fillers = [
  'the',
  'a',
  'this',
  'that',
  'was',
  'seemed',
  'really',
  'quite',
  'we',
  'thought',
  'on',
  'monday',
  'night',
  'with',
  'friends',
  'again',
];

export const words = ['[pad]', '[cls]', 'not', ...Object.keys(judgements), ...subjects, ...fillers];
const idOf = new Map(words.map((word, id) => [word, id]));

export interface Review {
  readonly text: string;
  readonly label: number;
}

export function writeReview(random: RandomSource, longest: number): Review {
  const pick = <T>(list: readonly T[]): T => list[integerBelow(random, list.length)] as T;
  const filler = (count: number) => Array.from({ length: count }, () => pick(fillers));
  const negated = integerBelow(random, 2) === 1;
  const [judgement, kind] = pick(Object.entries(judgements));
  const gap = integerBelow(random, 3);
  const core = [pick(subjects), ...(negated ? ['not'] : []), ...filler(gap), judgement];
  const room = longest - 1 - core.length;
  const before = integerBelow(random, Math.floor(room / 2) + 1);
  const after = integerBelow(random, Math.ceil(room / 2) + 1);
  const text = [...filler(before), ...core, ...filler(after)].join(' ');
  return { text, label: negated ? 1 - kind : kind };
}

/** Word ids with [cls] in front, filled up with [pad]. */
export function encode(text: string, length: number): number[] {
  const ids = ['[cls]', ...text.split(' ')].map((word) => idOf.get(word) as number);
  return [...ids, ...Array<number>(length - ids.length).fill(0)];
}
