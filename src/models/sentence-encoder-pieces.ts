// SentencePiece's unigram model (Kudo 2018): splits a text into known pieces in the most likely way.

/** Pieces with their log-probabilities. In the published file, pieces with a colon lost theirs (null, or what follows the colon). */
export type Vocabulary = readonly (readonly [piece: string, logProbability: number | null])[];

/** Ids below this one are special (padding, ends and the like) and match no text. */
const reserved = 6;
const unknown = 0;
/** Stands for a space, which marks the beginning of a word. */
const space = '▁';
/** SentencePiece's penalty: how much less likely an unknown character is than the least likely piece. */
const unknownPenalty = 10;

/** Makes a function that turns text into ids; a run of unknown characters becomes one id. */
export function makePieces(vocabulary: Vocabulary): (text: string) => number[] {
  const pieces = new Map<string, { readonly id: number; readonly score: number }>();
  // A lost score counts as 0, as in the published code; these pieces are therefore always preferred.
  for (const [id, [piece, score]] of vocabulary.entries()) {
    if (id >= reserved) pieces.set(piece, { id, score: score ?? 0 });
  }
  const longest = vocabulary.reduce((most, [piece]) => Math.max(most, [...piece].length), 1);
  const unknownPiece = {
    id: unknown,
    score: vocabulary.reduce((least, [, score]) => Math.min(least, score ?? 0), 0) - unknownPenalty,
  };

  return (text) => {
    const letters = [...normalize(text)];
    // For each position: the best total up to it, the last piece and where that piece starts.
    const best = new Float64Array(letters.length + 1).fill(Number.NEGATIVE_INFINITY);
    const [lastId, lastStart] = [new Int32Array(letters.length + 1), new Int32Array(letters.length + 1)];
    best[0] = 0;
    for (let start = 0; start < letters.length; start++) {
      let piece = '';
      for (let end = start + 1; end <= Math.min(letters.length, start + longest); end++) {
        piece += letters[end - 1];
        const found = pieces.get(piece) ?? (end === start + 1 ? unknownPiece : undefined);
        if (found === undefined) continue;
        const [total, before] = [(best[start] as number) + found.score, best[end] as number];
        // The published code treats a total of 0 as none; a lost score gives 0 at the start of a text.
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

/** Normalises characters (NFKC) and replaces white space by one mark before each word. */
function normalize(text: string): string {
  const words = text.normalize('NFKC').match(/\S+/g) ?? [];
  return words.map((word) => space + word).join('');
}
