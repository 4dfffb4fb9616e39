// Truth and guess token by token: which tokens of the guess stand in the truth in the same order.

export interface MarkedToken {
  readonly text: string;
  /** Whether it continues the word before. */
  readonly joined: boolean;
  readonly right: boolean;
}

/** Tokens that frame a text: everybody knows them, so they tell nothing. */
const frames = new Set(['[CLS]', '[SEP]', '[PAD]', '<|endoftext|>', '<s>', '</s>', '<pad>']);

export function markTokens(truthTokens: readonly string[], guessTokens: readonly string[]): MarkedToken[] {
  const [truth, guess] = [truthTokens, guessTokens].map((tokens) => tokens.filter((token) => !frames.has(token))) as [
    string[],
    string[],
  ];
  const right = commonInOrder(truth, guess);
  const spaced = guess.some((token) => /^[Ġ▁]/.test(token));
  return guess.map((token, place) => ({
    text: token.replace(/^##|^[Ġ▁]+/, '').replaceAll('Ċ', '⏎') || '␣',
    joined: place > 0 && (spaced ? !/^[Ġ▁]/.test(token) : token.startsWith('##')),
    right: right[place] as boolean,
  }));
}

/** For each token of the guess whether a longest common subsequence uses it; tokens in the same place are preferred. */
function commonInOrder(truth: readonly string[], guess: readonly string[]): boolean[] {
  const width = guess.length + 1;
  const best = new Uint32Array((truth.length + 1) * width);
  const at = (row: number, column: number) => best[row * width + column] as number;
  for (let row = truth.length - 1; row >= 0; row--) {
    for (let column = guess.length - 1; column >= 0; column--) {
      best[row * width + column] =
        truth[row] === guess[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const right = guess.map(() => false);
  let [row, column] = [0, 0];
  while (row < truth.length && column < guess.length) {
    if (truth[row] === guess[column] && at(row, column) === at(row + 1, column + 1) + 1) {
      right[column] = true;
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
  return right;
}
