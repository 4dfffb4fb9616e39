// How much of the text an attack has recovered, by every score; the floor is what it recovered from other sentences, scored alike.

import { openLexicon, scoreTexts } from '../../metrics/index.js';
import { readRecovered } from './recovery.js';
import type { Work } from './work.js';

export const score: Work<'score'> = async ({ needs }, { folderOf, encoder }) => {
  const sentences = await readRecovered(folderOf(needs[0] as string));
  const lexicon = openLexicon();
  const open = await encoder();
  const scores = await scoreTexts(
    sentences.map(({ truth }) => truth),
    sentences.map(({ guess }) => guess),
    { lexicon, embed: (texts) => open.embed(texts) },
  );
  const others = sentences.flatMap(({ truth, unrelated }) => (unrelated === undefined ? [] : [{ truth, unrelated }]));
  const floors = await scoreTexts(
    others.map(({ truth }) => truth),
    others.map(({ unrelated }) => unrelated),
    { lexicon },
  );
  return {
    measurements: [
      ...scores.flatMap((one, item) => Object.entries(one).map(([name, value]) => ({ item, name, value }))),
      ...floors.map(({ lcsRatio }, item) => ({ item, name: 'floor', value: lcsRatio })),
    ],
    details: {},
  };
};
