// SentencePiece's unigram model (Kudo 2018): of all ways to cut a text into known pieces, the likeliest.

/** Pieces with a colon have lost their scores in the published file (null, or what follows the colon). */
export type Vocabulary = readonly (readonly [piece: string, logProbability: number | null])[];

/** Ids before this one are for padding, ends and the like, and match no text. */
const reserved = 6;
const unknown = 0;
/** Stands for a space, so that pieces know where words begin. */
const space = '▁';
/** How much less likely an unknown character is than the least likely piece, as SentencePiece has it. */
const unknownPenalty = 10;

/** Turns text into ids; a run of unknown characters is one id. */
export function makePieces(vocabulary: Vocabulary): (text: string) => number[] {
  const pieces = new Map<string, { readonly id: number; readonly score: number }>();
  // A lost score counts 0, as where the vocabulary was published; so these pieces are always preferred.
  for (const [id, [piece, score]] of vocabulary.entries()) {
    if (id >= reserved) pieces.set(piece, { id, score: score ?? 0 });
  }
  const longest = vocabulary.reduce((most, [piece]) => Math.max(most, [...piece].length), 1);
  const stranger = {
    id: unknown,
    score: vocabulary.reduce((least, [, score]) => Math.min(least, score ?? 0), 0) - unknownPenalty,
  };

  return (text) => {
    const letters = [...normalize(text)];
    // Up to each place: the best total, and the last piece and its start.
    const best = new Float64Array(letters.length + 1).fill(Number.NEGATIVE_INFINITY);
    const [lastId, lastStart] = [new Int32Array(letters.length + 1), new Int32Array(letters.length + 1)];
    best[0] = 0;
    for (let start = 0; start < letters.length; start++) {
      let piece = '';
      for (let end = start + 1; end <= Math.min(letters.length, start + longest); end++) {
        piece += letters[end - 1];
        const found = pieces.get(piece) ?? (end === start + 1 ? stranger : undefined);
        if (found === undefined) continue;
        const [total, before] = [(best[start] as number) + found.score, best[end] as number];
        // The published code takes a total of 0 for none. Lost scores make one at the start of a text.
        if (total < before && before !== 0) continue;
        best[end] = total;
        lastId[end] = found.id;
        lastStart[end] = start;
      }
    }
    const ids: number[] = [];
    for (let end = letters.length; end > 0; end = lastStart[end] as number) {
      const id = lastId[end] as number;
      if (id !== unknown || ids.at(-1) !== unknown) ids.push(id);
    }
    return ids.reverse();
  };
}

/** Compatible forms of characters become one (NFKC), and white space a single mark before each word. */
function normalize(text: string): string {
  const words = text.normalize('NFKC').match(/\S+/g) ?? [];
  return words.map((word) => space + word).join('');
}
