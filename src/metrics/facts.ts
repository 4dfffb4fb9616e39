// Names and numbers, whose leakage hurts most. Found by capitals and digits, without a model.

const token = /[\p{L}\p{N}\p{M}]+(?:['’.,:/@_-][\p{L}\p{N}\p{M}]+)*/gu;
const [capital, digit] = [/^\p{Lu}/u, /\p{N}/u];
/** Places where a capital does not mark a name: the start of the text, and after the end of a sentence. */
const sentenceStart = /(?:^|[.!?]["'”’)\]]*\s)[\s"'“‘([]*$/u;
/** Characters before a word that decide whether it begins a sentence: reading all of them would take long in long texts. */
const lookBack = 64;
const pronoun = /^I(?:['’]|$)/;

/** Whether a capital at this place of a text does not mark a name. */
export const isSentenceStart = (text: string, place: number): boolean =>
  sentenceStart.test(text.slice(Math.max(0, place - lookBack), place));

/** Words with a capital inside of a sentence, and words without a capital, in lower case. */
export function learnNames(texts: readonly string[]): { readonly names: Set<string>; readonly plain: Set<string> } {
  const [names, plain] = [new Set<string>(), new Set<string>()];
  for (const text of texts) {
    for (const { 0: word, index } of text.matchAll(token)) {
      if (!capital.test(word)) plain.add(word);
      else if (!pronoun.test(word) && !isSentenceStart(text, index)) names.add(word.toLowerCase());
    }
  }
  return { names, plain };
}

/** Finds the names and numbers of a text, in lower case. */
export type FindFacts = (text: string) => string[];

/**
 * Learns from the true texts which words are names: those with a capital inside a sentence that never occur in lower case. The
 * facts of a text are then these names, wherever they stand, and every word with a digit.
 */
export function learnFacts(texts: readonly string[]): FindFacts {
  const { names, plain } = learnNames(texts);
  const isFact = (word: string): boolean => {
    const lower = word.toLowerCase();
    return digit.test(word) || (capital.test(word) && names.has(lower) && !plain.has(lower));
  };
  return (text) => [...text.matchAll(token)].flatMap(([word]) => (isFact(word) ? [word.toLowerCase()] : []));
}

/**
 * The share of the reference's facts that occur in the hypothesis, repetitions counted, in upper or lower case; undefined if the
 * reference has none.
 */
export function factsRecovered(reference: string, hypothesis: string, findFacts: FindFacts): number | undefined {
  const facts = findFacts(reference);
  if (facts.length === 0) return undefined;
  const left = new Map<string, number>();
  for (const [word] of hypothesis.toLowerCase().matchAll(token)) left.set(word, (left.get(word) ?? 0) + 1);
  let found = 0;
  for (const fact of facts) {
    const count = left.get(fact) ?? 0;
    if (count === 0) continue;
    left.set(fact, count - 1);
    found += 1;
  }
  return found / facts.length;
}
