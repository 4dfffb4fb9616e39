// How settings of training were tuned, in phrases and sentences: what was chosen, and where a wider range might have done better.

import {
  isOnCurve,
  isTuned,
  type Level,
  type StudyResults,
  sameLevel,
  type TunedSettings,
  triedMechanisms,
} from '../../calibration/index.js';
import { writeRate } from '../numbers.js';
import { levelName, list, plural } from '../words.js';

type Key = keyof TunedSettings;

const names: Readonly<Record<Key, string>> = { learningRate: 'learning rate', epochs: 'number of epochs' };

const write = (key: Key, value: number): string => (key === 'learningRate' ? writeRate(value) : `${value}`);

/** The settings that the study tunes; none if each has a single value. */
export const tunedKeys = ({ study: { training } }: Pick<StudyResults, 'study'>): Key[] =>
  (['learningRate', 'epochs'] as const).filter((key) => isTuned(training[key]));

/** “learning rate”, “number of epochs”, or both. */
export const tunedName = (results: StudyResults): string => list(tunedKeys(results).map((key) => names[key]));

/** The tuned ones of these settings, one by one: “0.002”, “10 epochs”. */
export const settingNames = (results: StudyResults, settings: TunedSettings): string[] =>
  tunedKeys(results).map((key) => (key === 'epochs' ? plural(settings.epochs, 'epoch') : write(key, settings[key])));

/** The tuned ones of these settings together: “0.002 with 10 epochs”. */
export const settingsName = (results: StudyResults, settings: TunedSettings): string =>
  settingNames(results, settings).join(' with ');

/** Under which training the mechanisms were compared. */
export function trainingPhrase(results: StudyResults): string {
  if (tunedKeys(results).length === 0) return 'with this training';
  return `with the ${tunedName(results)} chosen for each mechanism ${wherePhrase(results)} on validation data (tried: ${triedPhrase(results)})`;
}

/** The values of each tuned setting, named if there are several settings. */
function triedPhrase(results: StudyResults): string {
  const keys = tunedKeys(results);
  const values = (key: Key): string => {
    const setting = results.study.training[key];
    return (isTuned(setting) ? setting.tune : []).map((value) => write(key, value)).join(', ');
  };
  return keys.map((key) => (keys.length > 1 ? `${names[key]} ${values(key)}` : values(key))).join('; ');
}

function wherePhrase(results: StudyResults): string {
  const most = results.study.training.tuning?.levels;
  return most !== undefined && !isEveryLevelTuned(results) ? `at ${plural(most, 'level')}` : 'and level';
}

/** Whether values were tried at every level, so that none takes the choice of another one. */
export function isEveryLevelTuned({ study, levels, mechanisms }: StudyResults): boolean {
  const most = study.training.tuning?.levels ?? Number.POSITIVE_INFINITY;
  return mechanisms.every(({ name }) => levels.filter(({ level }) => level.mechanism === name).length <= most);
}

/** The chosen settings of each mechanism, in one sentence; empty if nothing was tuned. */
export function chosenSentences(results: StudyResults): string[] {
  const chosen = triedMechanisms(results).flatMap(({ name, label }) => {
    const runs = runsOf(results, name);
    const phrases = runs.map(({ value, levels }) =>
      runs.length > 1 ? `${value} (${rangeOf(results, levels)})` : value,
    );
    return runs.length > 0 ? [`${label} ${phrases.join(', ')}`] : [];
  });
  if (tunedKeys(results).length === 0 || chosen.length === 0) return [];
  return [`The ${tunedName(results)} chosen on validation data: ${chosen.join('; ')}.`];
}

interface Run {
  readonly value: string;
  readonly levels: readonly Level[];
}

/** Neighbouring levels of a curve with the same settings, from no noise to the most. */
function runsOf(results: StudyResults, mechanism: string): Run[] {
  const runs: { value: string; levels: Level[] }[] = [];
  for (const { level, settings } of results.levels) {
    if (!isOnCurve(level, mechanism) || settings === undefined) continue;
    const value = settingsName(results, settings);
    const last = runs.at(-1);
    if (last?.value === value) last.levels.push(level);
    else runs.push({ value, levels: [level] });
  }
  return runs;
}

const rangeOf = (results: StudyResults, levels: readonly Level[]): string =>
  [...new Set([levels[0], levels.at(-1)])].map((level) => levelName(results, level as Level)).join(' to ');

/** So many levels of a mechanism are named one by one. */
const mostNamed = 3;

/** Where the best value is the lowest or highest of those that were tried. */
export function edgeSentences(results: StudyResults): string[] {
  const { tuning, mechanisms } = results;
  return tunedKeys(results).flatMap((key) => {
    const atEdge = tuning.filter((one) => one.atEdge.includes(key)).map(({ level }) => level);
    if (atEdge.length === 0) return [];
    const isEdge = (level: Level) => atEdge.some((other) => sameLevel(other, level));
    const start = `The chosen ${names[key]} is the lowest or highest of those tried`;
    const end = 'a wider range might do better';
    if (atEdge.length === tuning.length) return [`${start} at every level at which it was tuned: ${end}.`];
    const places = [
      ...atEdge
        .filter(({ mechanism }) => mechanisms.every(({ name }) => name !== mechanism))
        .map((one) => `at ${levelName(results, one)}`),
      ...mechanisms.flatMap(({ name, label }) => {
        const own = tuning.map(({ level }) => level).filter(({ mechanism }) => mechanism === name);
        const ends = own.filter(isEdge);
        if (ends.length === 0) return [];
        const where =
          ends.length > mostNamed
            ? `${ends.length} of ${own.length} levels`
            : list(ends.map((one) => levelName(results, one)));
        return [`with ${label} at ${where}`];
      }),
    ];
    return [`${start} ${list(places)}: ${end}.`];
  });
}
