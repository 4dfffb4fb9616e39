// Which noise of two mechanisms leaks as much, beside what their cosines predict.

import type { Bridge, StatedEpsilon, StudyResults } from '../../calibration/index.js';
import { writeNoise, writeScore } from '../numbers.js';
import { attackOf, capital, epsilonOf, equation, levelName, mechanismOf, sizeName } from '../words.js';
import { type Html, html } from './html.js';

export const isBridgeShown = ({ bridges }: StudyResults): boolean => bridges.length > 0;

export function bridgeSection(results: StudyResults): Html | undefined {
  if (!isBridgeShown(results)) return undefined;
  return html`<section id="bridge">
<h2>Noise that leaks as much</h2>
<p>Each row is a level of one mechanism and the noise of the other at which the attack gets as much, read between its levels, with its 95 % interval. “Predicted” is the noise that leaves the same cosine on one shared gradient of ${sizeName(results.shared.numbers)} numbers; for another number of them it is another.</p>
${results.bridges.map((bridge) => table(results, bridge))}
</section>`;
}

function table(results: StudyResults, { attack, mechanisms, rows }: Bridge): Html {
  const [first, second] = mechanisms.map((name) => mechanismOf(results, name)) as [Mechanism, Mechanism];
  const { label, measure } = attackOf(results, attack);
  const equal = (value: number | undefined) => (value === undefined ? '–' : equation(second.symbol, writeNoise(value)));
  return html`<h3>${capital(label)}: ${first.label} and ${second.label}</h3>
<div class="scroll" tabindex="0"><table class="compact">
<thead><tr><th scope="col">${first.short}</th><th scope="col">${measure.name}</th><th scope="col">${second.short}<small>95 % interval</small></th><th scope="col">predicted</th><th scope="col">ε of training<small>${first.symbol} · ${second.symbol}</small></th><th scope="col">ε of one shared gradient<small>${first.symbol} · ${second.symbol}</small></th></tr></thead>
<tbody>${rows.map(
    ({
      level,
      leakage,
      parameter,
      interval,
      predicted,
      training,
      sharing,
    }) => html`<tr><th scope="row">${levelName(results, level)}</th>
<td>${writeScore(leakage.mean)}<small>${writeScore(leakage.lower)}–${writeScore(leakage.upper)}</small></td>
<td>${equal(parameter)}<small>${end(interval.least)} to ${end(interval.most)}</small></td>
<td>${equal(predicted)}</td><td>${pair(training)}</td><td>${pair(sharing)}</td></tr>`,
  )}</tbody></table></div>`;
}

type Mechanism = ReturnType<typeof mechanismOf>;

const end = (value: number | undefined): string => (value === undefined ? 'not shown' : writeNoise(value));

const pair = (both: readonly (StatedEpsilon | undefined)[]): string =>
  both.map((one) => (one === undefined ? '–' : epsilonOf(one))).join(' · ');
