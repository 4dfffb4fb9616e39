// Words that look personal: numbers, addresses, dates, amounts of money and names. A rule of thumb by characters and capitals, without
// a model: it misses much, and takes some words for personal that are not.

import { isSentenceStart, learnNames } from './facts.js';

/** What a word looks like. */
export type PersonalKind = 'e-mail address' | 'web address' | 'date' | 'amount of money' | 'number' | 'name';

/** A part of a text that looks personal, from `start` up to `end`, counted in UTF-16 units. */
export interface PersonalSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: PersonalKind;
}

/** Finds what looks personal in a text, in its order. Spans do not overlap. */
export type FindPersonal = (text: string) => PersonalSpan[];

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const currency = '[$€£¥₹]|\\b(?:usd|eur|gbp|chf|jpy)\\b';

/** What comes first wins where two overlap. Repetitions are bounded, so that no text takes long. */
const patterns: readonly (readonly [PersonalKind, RegExp])[] = [
  [
    'e-mail address',
    /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64} ?@ ?[\p{L}\p{N}-]{1,63}(?: ?\. ?[\p{L}\p{N}-]{1,63}){1,5}/gu,
  ],
  ['web address', /\bhttps?:\/\/\S{1,500}|\bwww\.\S{1,500}/giu],
  [
    'web address',
    /(?<![\p{L}\p{N}.-])(?:[\p{L}\p{N}-]{1,63}\.){1,5}(?:com|org|net|edu|gov|io|info|[a-z]{2})\b(?:\/\S{0,500})?/giu,
  ],
  ['date', /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b/gu],
  ['date', new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th)?\\.? (?:${months})\\b\\.?(?:,? \\d{4}\\b)?`, 'giu')],
  ['date', new RegExp(`\\b(?:${months})\\b\\.? \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4}\\b)?`, 'giu')],
  [
    'amount of money',
    new RegExp(
      `(?:${currency}) ?\\d[\\d.,]{0,20}(?: ?(?:k|m|bn|million|billion)\\b)?|\\d[\\d.,]{0,20} ?(?:${currency})`,
      'giu',
    ),
  ],
  // Groups of digits that belong together, as in telephone numbers and accounts.
  ['number', /(?<![\p{L}\p{N}_-])\+?\(?\d(?:[ ./()-]{0,3}\d){2,24}(?![\p{L}\p{N}])/gu],
  ['number', /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,40}(?:[-_][\p{L}\p{N}]{1,40}){0,4}/gu],
];

/** Fewer digits are found everywhere. */
const leastDigits = 3;

const word = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu;
/** A capital, and a small letter after it: words in capitals alone are mostly abbreviations or shouting. */
const capitalised = /^\p{Lu}.*\p{Ll}/u;

/** Capitalised inside of sentences, and nobody's name. */
const common = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
november december mr mrs ms miss dr prof sir madam dear hi hello thanks thank regards best sincerely cheers please re fw fwd subject
from to cc bcc sent date internet web english french german spanish american european british christmas easter god the a an and or
i'm i'll i've i'd`.split(/\s+/),
);

/**
 * Learns from the true texts, in their own capitals, which words are never written small. `FindPersonal` then finds e-mail and web
 * addresses, dates, amounts of money, numbers and codes with three digits or more, and words with a capital inside of a sentence that
 * are not common ones.
 */
export function learnPersonal(texts: readonly string[]): FindPersonal {
  const { names, plain } = learnNames(texts);
  const isName = (text: string, found: string, start: number): boolean => {
    const lower = found.toLowerCase();
    if (!capitalised.test(found) || common.has(lower.replace('’', "'")) || plain.has(lower)) return false;
    return names.has(lower) || !isSentenceStart(text, start);
  };
  return (text) => {
    const spans: PersonalSpan[] = [];
    const taken = new Uint8Array(text.length);
    const add = (kind: PersonalKind, start: number, end: number) => {
      if (taken.subarray(start, end).includes(1)) return;
      taken.fill(1, start, end);
      spans.push({ start, end, kind });
    };
    for (const [kind, pattern] of patterns) {
      for (const { 0: found, index } of text.matchAll(pattern)) {
        if (kind !== 'number' || digitsIn(found) >= leastDigits) add(kind, index, index + found.length);
      }
    }
    for (const { 0: found, index } of text.matchAll(word)) {
      if (isName(text, found, index)) add('name', index, index + found.length);
    }
    return spans.sort((a, b) => a.start - b.start);
  };
}

const digitsIn = (text: string): number => text.match(/\p{N}/gu)?.length ?? 0;
