// Recovered texts below their originals, level by level, with the tokens that came back marked.

import {
  type AboutAttack,
  type Comparison,
  isNoiseless,
  type Level,
  measuredAttacks,
  type StudyResults,
} from '../../calibration/index.js';
import type { FindPersonal } from '../../metrics/index.js';
import { writeScore } from '../numbers.js';
import { capital, levelName, list, plural } from '../words.js';
import { type Html, html } from './html.js';
import { mechanismKey } from './mechanism-key.js';
import { countPersonal, decisiveCounts, markPersonal, type PersonalCount, personalIn } from './personal.js';
import { showTokens } from './tokens.js';

/** Texts shown per attack. */
const shown = 4;

export function textSection(results: StudyResults, counts: readonly Html[] = personalSentences(results)): Html {
  const blocks = measuredAttacks(results).flatMap((attack) => textsOf(results, attack) ?? []);
  return html`<section id="texts">
<h2>What came back</h2>
${
  blocks.length > 0
    ? html`<p><mark>Bold and underlined</mark>: tokens of the original, in its order. <span class="wrong">Grey and dotted</span>: anything else. Originals are shown as the model reads them, cut to the length that was attacked. [UNK] stands for what the vocabulary does not know, and recovering it counts as nothing found. Special tokens around every text are left out. The number is the LCS ratio of the text; it counts whole words only, so recovered pieces of words are marked but do not count. <i>Nothing recovered</i>: the text scores no more than unrelated texts do at that level, so what the attack guessed is noise and is not shown; the floor is their mean score.</p>
<p><mark class="personal">Underlined twice, with a mark</mark>: words that came back whole and look personal, such as numbers of three digits or more, addresses, dates, amounts of money and names. This is a rule of thumb by digits and capitals; it misses some and takes others for personal that are not.</p>
${counts}${blocks}`
    : html`<p class="note">There are no recovered texts: no attack that gets text back has results.</p>`
}
</section>`;
}

/** `counts` come from the results before they were redacted. */
export const redactedTexts = (counts: readonly Html[] = []): Html => html`<section id="texts">
<h2>What came back</h2>
<p class="note">This version leaves out the originals and what attacks recovered of them.</p>
${counts}
</section>`;

/** One sentence per attack that recovers texts: how many came back with words that look personal, without noise and under it. */
export const personalSentences = (results: StudyResults): Html[] =>
  measuredAttacks(results).flatMap(({ name, label }) => {
    const counts = decisiveCounts(countPersonal(results, name));
    if (counts.length === 0) return [];
    const clean = counts.find(({ level }) => isNoiseless(level));
    const noisy = counts.filter((one) => one !== clean);
    const share = ({ personal, texts }: PersonalCount) => `${personal} of ${plural(texts, 'text')}`;
    const first = clean && `without noise, ${share(clean)} came back with ${lookPersonal}`;
    const most = noisy.map((one) => `${levelName(results, one.level)} (${share(one)})`);
    const second =
      most.length > 0
        ? `the most noise at which some ${first === undefined ? `came back with ${lookPersonal}` : 'still did'}: ${list(most)}`
        : `under noise, none ${first === undefined ? `came back with ${lookPersonal}` : 'did'}`;
    return [
      html`<p><b>${capital(label)}.</b> ${[first, second].flatMap((one) => (one ? [`${capital(one)}.`] : [])).join(' ')}</p>`,
    ];
  });

const lookPersonal = 'words that look personal (numbers, addresses, names)';

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
  const find = personalIn(results, name);
  // What noise protects worst comes first.
  const scoreOf = (recoveries: readonly Recovery[]) => {
    const noisy = recoveries.filter(({ level }) => !isNoiseless(level));
    return noisy.reduce((sum, { comparison }) => sum + comparison.lcsRatio, 0) / Math.max(1, noisy.length);
  };
  const first = [...byTruth].sort(([, a], [, b]) => scoreOf(b) - scoreOf(a)).slice(0, shown);
  const rest = byTruth.size - first.length;
  return html`<h3>${capital(label)}</h3>
${first.map(([truth, recoveries]) => textBlock(results, find, truth, recoveries))}
${rest > 0 ? html`<p class="note">Shown are the texts of which most comes back under noise; the study’s folder has ${plural(rest, 'more text')}.</p>` : undefined}`;
}

const textBlock = (
  results: StudyResults,
  find: FindPersonal,
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
<bdi class="guess">${comparison.recovered === false ? nothing(floor) : tokens(comparison, find)}</bdi><span class="score">${writeScore(comparison.lcsRatio)}</span></li>`,
)}</ol>
</article>`;

const original = (truth: string, [first]: readonly Recovery[]): string =>
  showTokens(first?.comparison.truthTokens ?? [])
    .map(({ text, joined }, place) => (place === 0 || joined ? text : ` ${text}`))
    .join('') || truth;

/** What an attack says of noise are words too: showing them would pass them for something found. */
const nothing = (floor: number): Html =>
  html`<i>nothing recovered</i> <small class="inline">floor ${writeScore(floor)}</small>`;

function tokens(comparison: Comparison, find: FindPersonal): Html | string {
  const { guessTokens, guess } = comparison;
  if (guessTokens.length === 0) return guess || '(nothing)';
  return html`${markPersonal(comparison, find).map(({ text, joined, right, personal }, place) => {
    const space = place === 0 || joined ? '' : ' ';
    if (!right) return html`${space}<span class="wrong">${text}</span>`;
    return personal === undefined
      ? html`${space}<mark>${text}</mark>`
      : html`${space}<mark class="personal" title="looks personal: ${personal}">${text}</mark>`;
  })}`;
}
