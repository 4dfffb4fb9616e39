// Truth and guess token by token: which tokens of the guess stand in the truth in the same order.

export interface ShownToken {
  readonly text: string;
  /** Whether it continues the word before. */
  readonly joined: boolean;
}

export interface MarkedToken extends ShownToken {
  readonly right: boolean;
  /** The place of the same token in the truth, among those that are shown, if it is right. */
  readonly truthPlace?: number;
}

/** Special tokens around a text: everybody knows them, so recovering them shows nothing. */
const frames = new Set(['[CLS]', '[SEP]', '[PAD]', '<|endoftext|>', '<s>', '</s>', '<pad>']);

/** Stands for what the vocabulary does not know: recovering it shows nothing either. */
const unknown = new Set(['[UNK]', '<unk>']);

const withoutFrames = (tokens: readonly string[]): string[] => tokens.filter((token) => !frames.has(token));

/** Tokens as people read them, without the special ones around the text. */
export function showTokens(all: readonly string[]): ShownToken[] {
  const tokens = withoutFrames(all);
  const spaced = tokens.some((token) => /^[Ġ▁]/.test(token));
  return tokens.map((token, place) => ({
    text: token.replace(/^##|^[Ġ▁]+/, '').replaceAll('Ċ', '⏎') || '␣',
    joined: place > 0 && (spaced ? !/^[Ġ▁]/.test(token) : token.startsWith('##')),
  }));
}

export function markTokens(truthTokens: readonly string[], guessTokens: readonly string[]): MarkedToken[] {
  const guess = withoutFrames(guessTokens);
  const places = commonInOrder(withoutFrames(truthTokens), guess);
  return showTokens(guess).map((token, place) => {
    const truthPlace = places[place];
    if (truthPlace === undefined || unknown.has(guess[place] as string)) return { ...token, right: false };
    return { ...token, right: true, truthPlace };
  });
}

/** For each token of the guess its place in the truth if a longest common subsequence uses it; tokens in the same place are preferred. */
function commonInOrder(truth: readonly string[], guess: readonly string[]): (number | undefined)[] {
  const width = guess.length + 1;
  const best = new Uint32Array((truth.length + 1) * width);
  const at = (row: number, column: number) => best[row * width + column] as number;
  for (let row = truth.length - 1; row >= 0; row--) {
    for (let column = guess.length - 1; column >= 0; column--) {
      best[row * width + column] =
        truth[row] === guess[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const places = guess.map((): number | undefined => undefined);
  let [row, column] = [0, 0];
  while (row < truth.length && column < guess.length) {
    if (truth[row] === guess[column] && at(row, column) === at(row + 1, column + 1) + 1) {
      places[column] = row;
      row += 1;
      column += 1;
    } else if (
      at(row + 1, column) > at(row, column + 1) ||
      (at(row + 1, column) === at(row, column + 1) && row < column)
    ) {
      row += 1;
    } else {
      column += 1;
    }
  }
  return places;
}
