// Which recovered tokens belong to words that look personal. The original text decides, in its own capitals: the model may not have any.

import { type Comparison, isNoiseless, type Level, type StudyResults } from '../../calibration/index.js';
import { type FindPersonal, learnPersonal, type PersonalKind } from '../../metrics/index.js';
import { type MarkedToken, markTokens, type ShownToken, showTokens } from './tokens.js';

/** A token of a guess; `personal` says what the word that it belongs to looks like, if that word came back whole. */
export interface PersonalToken extends MarkedToken {
  readonly personal?: PersonalKind;
}

/** Learns from the originals of an attack what looks personal in them. */
export function personalIn({ levels }: StudyResults, attack: string): FindPersonal {
  const texts = new Set(levels.flatMap(({ leakage }) => (leakage[attack]?.comparisons ?? []).map(originalOf)));
  return learnPersonal([...texts]);
}

/** Trials of older versions know the text only as the model reads it, perhaps without capitals. */
const originalOf = ({ original, truth }: Comparison): string => original ?? truth;

/** The tokens of a guess, with those marked that are right and whose word looks personal and came back whole. */
export function markPersonal(comparison: Comparison, find: FindPersonal): PersonalToken[] {
  const { truthTokens, guessTokens } = comparison;
  const tokens = markTokens(truthTokens, guessTokens);
  const shown = showTokens(truthTokens);
  const text = originalOf(comparison);
  const spans = find(text);
  const places = placesIn(text, shown);
  const spanOf = places.map((place) =>
    place === undefined ? undefined : spans.find(({ start, end }) => start <= place && place < end),
  );
  const right = new Set(tokens.flatMap(({ truthPlace }) => truthPlace ?? []));
  const back = new Set(
    spans.filter((span) => {
      const own = shown.flatMap(({ text: token }, place) =>
        spanOf[place] === span && /[\p{L}\p{N}]/u.test(token) ? [place] : [],
      );
      return own.length > 0 && own.every((place) => right.has(place));
    }),
  );
  return tokens.map((token) => {
    const span = token.truthPlace === undefined ? undefined : spanOf[token.truthPlace];
    return span && back.has(span) ? { ...token, personal: span.kind } : token;
  });
}

/** How far beyond the last token found the next one is looked for: words that the vocabulary does not know lie in between. */
const reach = 80;

/** Where each token begins in the text, which may have other capitals and accents; undefined for tokens that are not found. */
export function placesIn(text: string, tokens: readonly ShownToken[]): (number | undefined)[] {
  const plain: string[] = [];
  const origin: number[] = [];
  let index = 0;
  for (const character of text) {
    for (const piece of bare(character)) {
      plain.push(piece);
      origin.push(index);
    }
    index += character.length;
  }
  const joined = plain.join('');
  let from = 0;
  return tokens.map(({ text: token }) => {
    const wanted = bare(token).join('');
    const at = wanted === '' ? -1 : joined.slice(from, from + reach + wanted.length).indexOf(wanted);
    if (at < 0) return undefined;
    const place = origin[from + at];
    from += at + wanted.length;
    return place;
  });
}

/** UTF-16 units in lower case, without accents. */
const bare = (text: string): string[] => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().split('');

/** How many texts came back with words that look personal at a level. */
export interface PersonalCount {
  readonly level: Level;
  readonly texts: number;
  readonly personal: number;
}

/** Counts per level of an attack; levels without recovered texts are left out. */
export function countPersonal(results: StudyResults, attack: string): PersonalCount[] {
  const find = personalIn(results, attack);
  return results.levels.flatMap(({ level, leakage }) => {
    const texts = leakage[attack]?.comparisons ?? [];
    const isPersonal = (one: Comparison) =>
      one.recovered !== false && markPersonal(one, find).some(({ personal }) => personal !== undefined);
    return texts.length === 0 ? [] : [{ level, texts: texts.length, personal: texts.filter(isPersonal).length }];
  });
}

/** The count without noise, and per mechanism the one at the most noise at which some text still came back with such words. */
export function decisiveCounts(counts: readonly PersonalCount[]): readonly PersonalCount[] {
  const noisy = counts.filter(({ level, personal }) => !isNoiseless(level) && personal > 0);
  const last = new Map(noisy.map((one) => [one.level.mechanism, one]));
  return [...counts.filter(({ level }) => isNoiseless(level)).slice(0, 1), ...last.values()];
}
