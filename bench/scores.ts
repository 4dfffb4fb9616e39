// Scores of recovered text: sentence pairs per second, and sentences per second of the encoder.

import { jaccard, meteor, openLexicon, rougeL, scoreTexts, splitters } from '../src/metrics/index.js';
import { openSentenceEncoder } from '../src/models/index.js';
import { integerBelow, type SeededSource, seededSource } from '../src/random/index.js';
import { type Case, median, timings } from './case.js';

/** Made-up sentences of 5 to 25 words with uneven frequencies, some of which share stems or meanings. */
const vocabulary = (
  'the a of to and in it is was he she that on with for his her film movie picture good fine great bad poor story ' +
  'plot actor actors acting play plays playing buy bought purchase purchased car automobile big large small little ' +
  'house home child children person people run runs running walk walked happy happily sad sadly quick fast rapid ' +
  'speak talk talked say said tell told city town street road begin start started end finish finished , . ; ?'
).split(' ');

function drawSentence(source: SeededSource): string {
  const words = Array.from({ length: 5 + integerBelow(source, 21) }, () => {
    const place = Math.min(integerBelow(source, vocabulary.length), integerBelow(source, vocabulary.length));
    return vocabulary[place] as string;
  });
  return words.join(' ');
}

/** A sentence and what an attack might recover of it: half of its words, in another order, among others. */
function drawPair(source: SeededSource): [string, string] {
  const [truth, other] = [drawSentence(source), drawSentence(source)];
  const mixed = truth.split(' ').map((word, place) => (integerBelow(source, 2) === 0 ? word : other.split(' ')[place]));
  return [truth, mixed.filter((word) => word !== undefined).join(' ')];
}

const strings: Case = async () => {
  const source = seededSource(1);
  const pairs = Array.from({ length: 5000 }, () => drawPair(source));
  const start = performance.now();
  const lexicon = openLexicon();
  const opening = performance.now() - start;
  const three = await timings(async () => {
    let total = 0;
    for (const [reference, hypothesis] of pairs) {
      const words = [splitters.spaces(reference), splitters.spaces(hypothesis)] as const;
      total += rougeL(...words).lcsRatio + meteor(...words, lexicon) + jaccard(...words);
    }
    return total;
  }, 9);
  const [references, hypotheses] = [pairs.map(([truth]) => truth), pairs.map(([, guess]) => guess)];
  const all = await timings(() => scoreTexts(references, hypotheses, { lexicon }), 5);
  const rate = (times: readonly number[]) => (1000 * pairs.length) / median(times);
  return [
    { what: 'ROUGE-L + METEOR + Jaccard', value: rate(three), unit: 'pairs/s', reach: '>= 20000' },
    { what: 'all scores without encoder', value: rate(all), unit: 'pairs/s' },
    { what: 'opening WordNet', value: opening, unit: 'ms' },
  ];
};

const encoder: Case = async () => {
  const source = seededSource(2);
  const sentences = Array.from({ length: 512 }, () => drawSentence(source));
  const start = performance.now();
  const { embed, close } = await openSentenceEncoder();
  await embed(sentences.slice(0, 1));
  const opening = performance.now() - start;
  const times = await timings(() => embed(sentences), 3);
  await close();
  return [
    { what: 'sentence encoder', value: (1000 * sentences.length) / median(times), unit: 'sentences/s' },
    { what: 'opening the encoder, first sentence', value: opening, unit: 'ms' },
  ];
};

export const scores: Readonly<Record<string, Case>> = { strings, encoder };
