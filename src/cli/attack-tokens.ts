// Truth and recovery side by side, token by token.

import type { Tokenizer } from '../data/index.js';
import type { TextPair } from './attack-scores.js';

export interface TokenPair extends TextPair {
  readonly truth: readonly string[];
  readonly recovered: readonly string[];
}

export function pairOf(
  tokenizer: Pick<Tokenizer, 'tokenOf' | 'decode'>,
  truth: readonly number[],
  guess: readonly number[],
): TokenPair {
  const tokensOf = (ids: readonly number[]) => ids.map((id) => tokenizer.tokenOf(id) ?? `${id}`);
  // An attack may find an id that no token has.
  const textOf = (ids: readonly number[]) => tokenizer.decode(ids.filter((id) => tokenizer.tokenOf(id) !== undefined));
  return {
    truth: tokensOf(truth),
    recovered: tokensOf(guess),
    truthText: textOf(truth),
    recoveredText: textOf(guess),
  };
}

const shownSentences = 8;
const [green, red, plain] = ['\x1b[32m', '\x1b[31m', '\x1b[0m'];

/** The first few sentences; `note` stands behind the tokens in place. */
export function describePairs<Pair extends TokenPair>(
  pairs: readonly Pair[],
  colour: boolean,
  note: (pair: Pair) => string = () => '',
): string[] {
  const shown = pairs.slice(0, shownSentences).flatMap((pair) => {
    const { truth, recovered, truthText, recoveredText } = pair;
    return [
      `  truth      ${truthText}`,
      colour ? `  recovered  ${coloured(truth, recovered)}` : `  recovered  ${recoveredText}`,
      `  ${' '.repeat(11)}${rightTokens(truth, recovered)} of ${truth.length} tokens in place${note(pair)}`,
      '',
    ];
  });
  const more = pairs.length - shownSentences;
  return more > 0 ? [...shown, `  … and ${more} more (--json or --out for all)`, ''] : shown;
}

/** Only where a person reads it. */
export const wantsColour = (): boolean => process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

const rightTokens = (truth: readonly string[], recovered: readonly string[]): number =>
  truth.filter((token, place) => token === recovered[place]).length;

/** Tokens in place green, others red. */
const coloured = (truth: readonly string[], recovered: readonly string[]): string =>
  recovered.map((token, place) => `${token === truth[place] ? green : red}${token}${plain}`).join(' ');
