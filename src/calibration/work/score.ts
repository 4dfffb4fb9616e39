// How much of the text an attack has recovered, by every score; the floor is the same guesses against other sentences.

import { openLexicon, scoreTexts } from '../../metrics/index.js';
import { readRecovered } from './recovery.js';
import type { Work } from './work.js';

export const score: Work<'score'> = async ({ settings, needs }, { folderOf, encoder }) => {
  const sentences = await readRecovered(folderOf(needs[0] as string));
  const truths = sentences.map(({ truth }) => truth);
  const guesses = sentences.map(({ guess }) => guess);
  const lexicon = openLexicon();
  const open = settings.similarity ? await encoder() : undefined;
  const embed = open && ((texts: readonly string[]) => open.embed(texts));
  const scores = await scoreTexts(truths, guesses, { lexicon, ...(embed && { embed }) });
  const others = guesses.map((_, index) => guesses[(index + 1) % guesses.length] as string);
  const floor = sentences.length < 2 ? [] : await scoreTexts(truths, others, { lexicon });
  return {
    measurements: scores.flatMap((one, item) => [
      ...Object.entries(one).map(([name, value]) => ({ item, name, value })),
      ...floor.slice(item, item + 1).map(({ rougeL }) => ({ item, name: 'floor', value: rougeL })),
    ]),
    details: {},
  };
};
