// A study without what belongs to one machine or names the data: folders and names of classes.

import { attacks } from '../../attacks/index.js';
import type { AttackSettings, Study } from '../study/study.js';
import { isPath } from '../study/study-file.js';

/** A study as it can be passed on: sources without their folders, classes without their names. */
export const publicStudy = (study: Study): Study => ({
  ...study,
  model: sourceName(study.model),
  data: {
    ...study.data,
    source: sourceName(study.data.source),
    ...(study.data.classes && { classes: numberedClasses(study.data.classes) }),
  },
  attacks: Object.fromEntries(
    Object.entries(study.attacks).map(([name, settings]) => [name, withoutFolders(name, settings)]),
  ),
});

/** The last part of a path; other sources as they are. */
export const sourceName = (source: string): string =>
  isPath(source) ? (source.split(/[/\\]/).findLast((part) => part !== '') ?? source) : source;

/** As many classes, without their names. */
export const numberedClasses = (classes: readonly string[]): string[] =>
  classes.map((_, index) => `class ${index + 1}`);

/** An attack may be given models of its own. */
function withoutFolders(attack: string, settings: AttackSettings): AttackSettings {
  const { options = {} } = attacks.find(({ name }) => name === attack) ?? {};
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      options[key]?.type === 'model' && typeof value === 'string' ? sourceName(value) : value,
    ]),
  );
}
