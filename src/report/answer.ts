// The answer in plain sentences, all of them computed from the curves: which noise stops reconstruction, what that costs, where
// utility falls, and which mechanism keeps more of it.

import type { LevelResults, StudyResults } from '../calibration/index.js';
import { equalLeakageSentences, membershipSentences } from './answer-comparison.js';
import { deltaSentences, epsilonSentences, whySentences } from './answer-reasons.js';
import { mechanismsOf, type Point } from './curves.js';
import { type Falls, fallsOf, isDoubtful, isSeen } from './falls.js';
import { writeInterval, writeNumber, writePercent, writeScore } from './number.js';
import { attackNames, attacks, capital, levelName, list, mechanisms, plural } from './words.js';

/** Each may be empty but the first. */
export interface Answer {
  /** One paragraph for each mechanism. */
  readonly lead: readonly string[];
  readonly why: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly comparison: string;
  readonly membership: string;
}

export function answerOf(results: StudyResults): Answer {
  const falls = mechanismsOf(results).map((mechanism) => fallsOf(results, mechanism));
  const paragraphs = falls.map((one) => paragraphOf(results, one));
  return {
    lead:
      paragraphs.length > 0
        ? paragraphs
        : ['No noise was tried, so this study cannot say what noise prevents or costs.'],
    why: whySentences(results, falls).join(' '),
    epsilon: epsilonSentences(results, falls).join(' '),
    delta: deltaSentences(results).join(' '),
    comparison: equalLeakageSentences(results).join(' '),
    membership: membershipSentences(results).join(' '),
  };
}

const paragraphOf = (results: StudyResults, falls: Falls): string =>
  [...reconstruction(results, falls), ...cost(results, falls), ...utility(falls), ...gap(falls)].join(' ');

function reconstruction({ study }: StudyResults, { mechanism, reconstructions, stop }: Falls): string[] {
  const { name } = mechanisms[mechanism];
  if (reconstructions.length === 0) {
    const planned = attackNames.some((attack) => attacks[attack].reconstructs && study.attacks[attack] !== undefined);
    return [
      planned
        ? `No attack that gets text back has results under ${name}.`
        : `No attack of this study tries to get text back under ${name}.`,
    ];
  }
  const named = (kind: string) =>
    reconstructions.filter(({ fall }) => fall.kind === kind).map(({ attack }) => attacks[attack].name);
  const [silent, still, unknown] = [named('nothing'), named('never'), named('unknown')];
  const nothing = [
    ...(silent.length > 0
      ? [
          `Without noise ${list(silent)} already ${silent.length > 1 ? 'find' : 'finds'} next to nothing, which says nothing about noise.`,
        ]
      : []),
    ...reconstructions.flatMap(({ attack, fall }) =>
      fall.kind === 'unsure'
        ? [
            `Without noise ${attacks[attack].name} gets ${writeScore(fall.start.value.mean)}, which ${plural(fall.start.value.values.length, 'text')} cannot tell from its floor.`,
          ]
        : [],
    ),
    ...(unknown.length > 0
      ? [
          `${capital(list(unknown))} ${unknown.length > 1 ? 'were' : 'was'} not measured without noise, so it cannot be said what ${name} takes away.`,
        ]
      : []),
  ];
  if (!stop) return nothing;
  const measured = `(${attacks.span.measure}: ${scores(reconstructions, stop).join('; ')})`;
  if (stop.kind === 'never') {
    const gets = still.length > 1 ? 'get' : 'gets';
    const [tried, most] = stop.partial ? ['measured so far', ''] : ['tried', ', the most'];
    return [
      `${capital(name)} does not stop the reconstruction of text at any level ${tried}: at ${levelName(stop.last.level)}${most}, ${list(still)} still ${gets} text back ${measured}.`,
      ...nothing,
    ];
  }
  const first = stop.before === undefined || stop.before.level.mechanism === 'none';
  const least = first && !stop.partial ? ', the least that was tried' : '';
  return [
    `${capital(name)} stops the reconstruction of text at ${levelName(stop.at.level)}${least} ${measured}.`,
    ...nothing,
  ];
}

/** Before and after, for each attack that finds something. */
const scores = (reconstructions: Falls['reconstructions'], stop: NonNullable<Falls['stop']>): string[] =>
  reconstructions.flatMap(({ attack, fall }) => {
    if (!isSeen(fall)) return [];
    const { level, value } = fall.kind === 'never' ? fall.last : fall.at;
    const same = level === (stop.kind === 'never' ? stop.last : stop.at).level;
    const place = same ? '' : fall.kind === 'never' ? ` at ${levelName(level)}` : ` from ${levelName(level)} on`;
    const best = `best text ${writeScore(Math.max(...value.values))}`;
    return [
      `${attacks[attack].name} ${writeScore(fall.start.value.mean)} → ${writeScore(value.mean)}${place}, ${best}`,
    ];
  });

/** Utility at the level that stops reconstruction. */
function cost({ levels }: StudyResults, { stop }: Falls): string[] {
  if (stop?.kind !== 'falls') return [];
  const at = levels.find(({ level }) => level === stop.at.level);
  const clean = levels.find(({ level }) => level.mechanism === 'none');
  return [utilityAt(at, clean)];
}

function utilityAt(at: LevelResults | undefined, clean: LevelResults | undefined): string {
  const value = at?.utility?.accuracy;
  if (!value) return 'Utility was not measured there.';
  const seeds = value.values.length;
  const range = writeInterval(value, writePercent) || 'one seed, so no interval';
  const there = `Accuracy there is ${writePercent(value.mean)} (${range})`;
  const reference = clean?.utility?.accuracy;
  if (!reference) return `${there}; without noise it was not measured.`;
  const points = Math.abs(value.mean - reference.mean) * 100;
  if (points < 0.05) return `${there}, the same as without noise.`;
  const apart = seeds > 1 && (value.upper < reference.lower || value.lower > reference.upper);
  const doubt = seeds > 2 ? ', which may be chance' : `, which ${plural(seeds, 'seed')} cannot tell from chance`;
  const side = value.mean < reference.mean ? 'below' : 'above';
  return `${there}, ${points.toFixed(1)} points ${side} the ${writePercent(reference.mean)} without noise${apart ? '' : doubt}.`;
}

function utility({ utility: fall }: Falls): string[] {
  if (fall.kind === 'nothing') {
    return ['The model learns too little beyond the most frequent class for noise to cost anything.'];
  }
  if (!isSeen(fall)) return [];
  const { start, dip, partial } = fall;
  const told = ({ level, value }: Point) => `${levelName(level)} (${writePercent(value.mean)})`;
  const doubt = isDoubtful(start)
    ? [
        `With ${plural(start.value.values.length, 'seed')} the accuracy without noise cannot be told from always naming the most frequent class (${writePercent(start.floor)}).`,
      ]
    : [];
  const but = dip ? [`It was lower at ${told(dip)}: accuracy does not fall in order with noise.`] : [];
  if (fall.kind === 'never') {
    const most = partial ? 'the most that was measured' : 'the most that was tried';
    return [
      `Accuracy keeps more than half of what training gained ${dip ? 'at' : 'up to'} ${levelName(fall.last.level)}, ${most}.`,
      ...but,
      ...doubt,
    ];
  }
  const { before, at } = fall;
  return [
    before && before.level.mechanism !== 'none'
      ? `Utility falls between ${told(before)} and ${told(at)}.`
      : `Utility has fallen at ${told(at)} already${partial ? '' : ', the least noise that was tried'}.`,
    ...but,
    ...doubt,
  ];
}

function gap({ gap: found, stop, utility: fall, mechanism }: Falls): string[] {
  if (!found) {
    return stop?.kind === 'falls' && fall.kind === 'falls' && !fall.partial && !stop.partial
      ? ['No level tried stops reconstruction and keeps utility.']
      : [];
  }
  if (found.factor < 1.01) {
    return [`Of the levels tried, only ${levelName(found.from.level)} stops reconstruction and keeps utility.`];
  }
  const factor = `a factor of ${writeNumber(found.factor, 2, found.open ? 'down' : 'near')} in ${mechanisms[mechanism].symbol}`;
  return [
    found.open
      ? `So there is a gap of at least ${factor} in which these attacks fail and the model is useful.`
      : `The gap between the two falls is ${factor}: there these attacks fail and the model is still useful.`,
  ];
}
