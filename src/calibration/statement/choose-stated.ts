// Which study of a folder a statement is about.

import { ArgumentError } from '../../checks/index.js';
import type { InputsSummary } from '../study/summary.js';
import type { RecordedStudy } from '../trials/store.js';
import { digestOfStudy } from './statement.js';

/**
 * Chooses the study of a folder that a statement is about: of those with its name, the latest one with the same settings, model and
 * data; else the latest with the same settings; else the latest. Throws if there is none of that name.
 */
export function chooseStated(known: readonly RecordedStudy[], stated: object): RecordedStudy {
  const { study, studyDigest, model, data } = stated as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const named = known.filter(({ name }) => name === study?.name);
  const same = named.filter((one) => digestOfStudy(one.study) === (studyDigest as unknown));
  const exact = same.filter(({ inputs }) => {
    const about = inputs as InputsSummary;
    return about.model.digest === model?.digest && (data?.digest === undefined || about.data.digest === data.digest);
  });
  const found = exact.at(-1) ?? same.at(-1) ?? named.at(-1);
  if (found !== undefined) return found;
  const names = [...new Set(known.map(({ name }) => name))].join(', ') || 'none';
  throw new ArgumentError(`expected a study called ${study?.name} in its folder, got ${names}`);
}
