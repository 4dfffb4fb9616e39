// Predictions for the terminal.

import type { ClassifiedText, LabelledText } from './classify.js';
import { WIDTH } from './wrap.js';

const percent = (probability: number): string => `${(100 * probability).toFixed(1)} %`;

/** Columns left for the text. */
const textWidth = 16;

/** A table: the text, its label, the probability of every class, or of the label alone where there are too many classes. */
export function describePredictions(classified: readonly ClassifiedText[], classes: readonly string[]): string {
  const width = Math.max(5, ...classified.map(({ label }) => label.length));
  const all = classes.map((name) => ({ name, width: Math.max(7, name.length) }));
  const whole = width + all.reduce((sum, one) => sum + 2 + one.width, 0) + 2 + textWidth;
  const columns = whole <= WIDTH ? all : [{ name: 'probability', width: 11 }];
  const head = `${'label'.padEnd(width)}  ${columns.map((one) => one.name.padStart(one.width)).join('  ')}  text`;
  const rows = classified.map(({ label, probability, probabilities, text, truncated }) => {
    const shown = columns === all ? all.map(({ name }) => probabilities[name] ?? 0) : [probability];
    const figures = columns.map((one, place) => percent(shown[place] ?? 0).padStart(one.width)).join('  ');
    return `${label.padEnd(width)}  ${figures}  ${oneLine(text)}${truncated ? ' (cut)' : ''}`;
  });
  return `${[head, ...rows].join('\n')}\n`;
}

/** A table per text: a word, its label, and the label's probability. */
export function describeWords(labelled: readonly LabelledText[]): string {
  const all = labelled.flatMap(({ words }) => words);
  const width = Math.max(5, ...all.map(({ label }) => label.length));
  const head = `${'label'.padEnd(width)}  probability  word`;
  const rowsOf = ({ words, truncated }: LabelledText) => [
    ...words.map(
      ({ word, label, probability }) =>
        `${label.padEnd(width)}  ${percent(probability).padStart(11)}  ${oneLine(word)}`,
    ),
    ...(truncated ? ['(cut)'] : []),
  ];
  return `${head}\n${labelled.map((one) => rowsOf(one).join('\n')).join('\n\n')}\n`;
}

/** One line per word, separated by tabs, for other programs: line of the text, label, its probability, word. */
export const linesOfWords = ({ line, words }: LabelledText): string =>
  words
    .map(({ label, probability, word }) => [line, label, probability.toFixed(4), oneLine(word)].join('\t'))
    .join('\n');

/** One line per text, separated by tabs, for other programs: line, label, its probability, text. */
export const lineOf = ({ line, label, probability, text }: ClassifiedText): string =>
  [line, label, probability.toFixed(4), oneLine(text)].join('\t');

/** Control characters of a text must not act on the terminal. */
const oneLine = (text: string): string => {
  const plain = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return plain.length > 80 ? `${plain.slice(0, 79)}…` : plain;
};
