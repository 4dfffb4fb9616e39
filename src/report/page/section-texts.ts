// Recovered texts below their originals, level by level, with the tokens that came back marked.

import {
  type AboutAttack,
  type Comparison,
  isNoiseless,
  type Level,
  measuredAttacks,
  type StudyResults,
} from '../../calibration/index.js';
import { writeScore } from '../numbers.js';
import { capital, levelName, plural } from '../words.js';
import { type Html, html } from './html.js';
import { mechanismKey } from './mechanism-key.js';
import { markTokens, showTokens } from './tokens.js';

/** Texts shown per attack. */
const shown = 4;

export function textSection(results: StudyResults): Html {
  const blocks = measuredAttacks(results).flatMap((attack) => textsOf(results, attack) ?? []);
  return html`<section id="texts">
<h2>What came back</h2>
${
  blocks.length > 0
    ? html`<p><mark>Bold and underlined</mark>: tokens of the original, in its order. <span class="wrong">Grey and dotted</span>: anything else. Originals are shown as the model reads them, cut to the length that was attacked. [UNK] stands for what the vocabulary does not know, and recovering it counts as nothing found. Special tokens around every text are left out. The number is the LCS ratio of the text; it counts whole words only, so recovered pieces of words are marked but do not count. <i>Nothing recovered</i>: the text scores no more than unrelated texts do at that level, so what the attack guessed is noise and is not shown; the floor is their mean score.</p>${blocks}`
    : html`<p class="note">There are no recovered texts: no attack that gets text back has results.</p>`
}
</section>`;
}

export const redactedTexts = (): Html => html`<section id="texts">
<h2>What came back</h2>
<p class="note">This version leaves out the originals and what attacks recovered of them.</p>
</section>`;

interface Recovery {
  readonly level: Level;
  readonly floor: number;
  readonly comparison: Comparison;
}

function textsOf(results: StudyResults, { name, label }: AboutAttack): Html | undefined {
  const byTruth = new Map<string, Recovery[]>();
  for (const { level, leakage } of results.levels) {
    const floor = leakage[name]?.floor ?? 0;
    const seen = new Set<string>();
    for (const comparison of leakage[name]?.comparisons ?? []) {
      if (seen.has(comparison.truth)) continue;
      seen.add(comparison.truth);
      const found = byTruth.get(comparison.truth) ?? [];
      found.push({ level, floor, comparison });
      byTruth.set(comparison.truth, found);
    }
  }
  if (byTruth.size === 0) return undefined;
  // What noise protects worst comes first.
  const scoreOf = (recoveries: readonly Recovery[]) => {
    const noisy = recoveries.filter(({ level }) => !isNoiseless(level));
    return noisy.reduce((sum, { comparison }) => sum + comparison.lcsRatio, 0) / Math.max(1, noisy.length);
  };
  const first = [...byTruth].sort(([, a], [, b]) => scoreOf(b) - scoreOf(a)).slice(0, shown);
  const rest = byTruth.size - first.length;
  return html`<h3>${capital(label)}</h3>
${first.map(([truth, recoveries]) => textBlock(results, truth, recoveries))}
${rest > 0 ? html`<p class="note">Shown are the texts of which most comes back under noise; the study’s folder has ${plural(rest, 'more text')}.</p>` : undefined}`;
}

const textBlock = (
  results: StudyResults,
  truth: string,
  recoveries: readonly Recovery[],
): Html => html`<article class="text">
<p class="original"><span class="name">original</span><bdi>${original(truth, recoveries)}</bdi></p>
<ol>${recoveries.map(
  ({
    level,
    floor,
    comparison,
  }) => html`<li><span class="name">${mechanismKey(results, level.mechanism)}${levelName(results, level)}</span>
<bdi class="guess">${comparison.recovered === false ? nothing(floor) : tokens(comparison)}</bdi><span class="score">${writeScore(comparison.lcsRatio)}</span></li>`,
)}</ol>
</article>`;

const original = (truth: string, [first]: readonly Recovery[]): string =>
  showTokens(first?.comparison.truthTokens ?? [])
    .map(({ text, joined }, place) => (place === 0 || joined ? text : ` ${text}`))
    .join('') || truth;

/** What an attack says of noise are words too: showing them would pass them for something found. */
const nothing = (floor: number): Html =>
  html`<i>nothing recovered</i> <small class="inline">floor ${writeScore(floor)}</small>`;

function tokens({ truthTokens, guessTokens, guess }: Comparison): Html | string {
  if (guessTokens.length === 0) return guess || '(nothing)';
  return html`${markTokens(truthTokens, guessTokens).map(({ text, joined, right }, place) => {
    const space = place === 0 || joined ? '' : ' ';
    return right ? html`${space}<mark>${text}</mark>` : html`${space}<span class="wrong">${text}</span>`;
  })}`;
}
