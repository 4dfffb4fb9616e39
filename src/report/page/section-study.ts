// What was studied, how to repeat it, and what the words mean.

import {
  type AboutAttack,
  measuredAttacks,
  type StudyResults,
  studyToYaml,
  triedMechanisms,
} from '../../calibration/index.js';
import { writeCount, writePercent } from '../numbers.js';
import { planSentences } from '../plan-words.js';
import { capital, list, plural, sizeName, symbolsOf } from '../words.js';
import { type Html, html } from './html.js';

export function factSection(results: StudyResults): Html {
  const { study, model, data, trainable: trained, shared } = results;
  const plan = planSentences(results);
  const classes = data.classes.length > 8 ? '' : ` (${data.classes.join(', ')})`;
  const facts: readonly (readonly [string, string])[] = [
    ['Model', `${model.name}, ${writeCount(model.parameters)} parameters`],
    [
      'Data',
      `${data.name}: ${writeCount(data.train)} training and ${writeCount(data.test)} test examples, ${plural(data.classes.length, 'class', 'classes')}${classes}`,
    ],
    ...(plan.length > 0 ? [['Plan', plan.join(' ')] as const] : []),
    ['Trained', `${trained.selection}: ${sizeName(trained.numbers)} numbers in ${plural(trained.tensors, 'tensor')}`],
    [
      'Shared',
      `${shared.selection}: ${sizeName(shared.numbers)} numbers in ${plural(shared.tensors, 'tensor')}, protected ${study.sharing.scope === 'joint' ? 'as one vector' : 'tensor by tensor'}`,
    ],
    ['Seeds', list(study.seeds.map(String))],
  ];
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function repeatSection({ study, model, data, version }: StudyResults, statement?: string): Html {
  return html`<section id="repeat">
<h2>Repeat it</h2>
<p>Save this as <code>study.yaml</code>, then, with epsilens ${version}:</p>
<pre class="command"><code>npx epsilens calibrate study.yaml --out results</code></pre>
<pre><code>${studyToYaml(study)}</code></pre>
${digests(model.digest, data.digest)}
${statement === undefined ? undefined : html`<p><code>${statement}</code>, beside this report, holds every figure; <code>npx epsilens verify ${statement}</code> computes them again from the study’s store, and every ε from its plan.</p>`}
</section>`;
}

const digests = (model: string, data: string | undefined): Html =>
  data === undefined
    ? html`<p class="note">Digest of the model: <code>${model}</code>; that of the data is left out. The same study on the same data gives the same figures.</p>`
    : html`<p class="note">Digests: model <code>${model}</code>, data <code>${data}</code>. The same study with the same digests gives the same figures.</p>`;

type Definition = readonly [name: string, text: string];

export function definitionSection(results: StudyResults): Html {
  const [tried, found] = [triedMechanisms(results), measuredAttacks(results)];
  const rows: readonly Definition[] = [
    ...tried.map(({ symbol, definition }): Definition => [symbol, definition]),
    [
      'K',
      'How many numbers the noise is spread over: in training those of the trainable parameters, in sharing those of the shared gradient.',
    ],
    [
      'ε, δ',
      'Between two data sets that differ as stated (neighbours), the probability of any outcome changes by at most a factor of e^ε, plus δ. Values of ε for different neighbours cannot be compared.',
    ],
    [
      'Cosine',
      `How closely what is released points in the direction of what it was made from: 1 is the same direction, 0 has nothing in common with it. In training it is compared with the step’s own sum before noise, and with the plain gradient, neither clipped nor noisy; in sharing with the true gradient.${tried.length > 1 ? ` The common scale of ${symbolsOf(tried)}.` : ''}`,
    ],
    [
      'Accuracy',
      `Share of test examples classified correctly. Always naming the most frequent class gives ${writePercent(results.data.majority)}, a Matthews correlation of 0 and a low macro F1.`,
    ],
    ...measureDefinitions(found),
    [
      'Floor',
      'What an attack scores when there is nothing to find: on the gradient of another text, by its prior alone if that scores more, or by guessing.',
    ],
    [
      'Intervals',
      '95 %. Utility: over seeds (Student). Reconstruction: over texts (bootstrap). Membership: the wider of one over seeds and one over examples. A single seed or text has none.',
    ],
    ...found.map(({ label, definition }): Definition => [capital(label), definition]),
  ];
  return html`<section id="definitions">
<h2>What the words mean</h2>
<dl class="statements">${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>
</section>`;
}

/** Definitions by the measure's key. */
const measures: Readonly<Record<string, string>> = {
  lcsRatio: 'Words that original and recovery have in the same order, as a share of the longer of the two texts.',
  auc: 'Probability that the attack scores a training example higher than another example; 0.5 is guessing.',
};

/** Each measure once. A measure without a definition is explained by its scale. */
function measureDefinitions(attacks: readonly AboutAttack[]): Definition[] {
  const byKey = new Map(attacks.map(({ measure }) => [measure.key, measure]));
  return [...byKey.values()].map(({ key, name, scale }) => [name, measures[key] ?? `${capital(scale)}.`]);
}
