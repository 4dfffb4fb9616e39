// Reads and writes studies as YAML, and finds those that come with the package (doorway to yaml).

import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Document, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { findAttack } from '../../attacks/index.js';
import { ArgumentError, option, say } from '../../checks/index.js';
import { failedToBe } from '../../platform/index.js';
import { nearest } from './nearest.js';
import type { AttackSettings, Study, StudyPlan } from './study.js';
import { studyError } from './study-errors.js';
import { parsePlan, parseStudy } from './study-schema.js';

const bundledFolder = fileURLToPath(new URL('../../../studies/', import.meta.url));

/** Names of the studies that come with the package. */
export const bundledStudies = (): string[] =>
  readdirSync(bundledFolder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => basename(name, '.yaml'))
    .sort();

/** Reads a study. `source` is a YAML file or the name of a bundled study. Paths in a file are relative to its folder. */
export async function readStudy(source: string): Promise<Study> {
  const isFile = /[/\\]|\.ya?ml$/.test(source);
  if (!isFile && !bundledStudies().includes(source)) {
    const guess = nearest(source, bundledStudies());
    throw new ArgumentError(
      `unknown study ${source}: ${guess === undefined ? `expected a YAML file or one of ${bundledStudies().join(', ')}` : `did you mean ${guess}?`}`,
    );
  }
  const path = isFile ? source : join(bundledFolder, `${source}.yaml`);
  const text = await readFile(path, 'utf8').catch(failedToBe('read', path));
  const study = studyFromYaml(text, source);
  const folder = dirname(path);
  return {
    ...study,
    model: absoluteSource(study.model, folder),
    data: { ...study.data, source: absoluteSource(study.data.source, folder) },
    attacks: Object.fromEntries(
      Object.entries(study.attacks).map(([name, settings]) => [name, withAbsoluteModels(name, settings, folder)]),
    ),
  };
}

/** Options that name a model are relative to the study's folder too. */
function withAbsoluteModels(attack: string, settings: AttackSettings, folder: string): AttackSettings {
  const { options } = findAttack(attack);
  const seen = Object.entries(settings).map(([key, value]) =>
    options[key]?.type === 'model' ? [key, absoluteSource(value as string, folder)] : [key, value],
  );
  return Object.fromEntries(seen);
}

/** Parses and checks a study, and fills in defaults. `origin` names the text in errors. Paths stay as they are. */
export const studyFromYaml = (text: string, origin: string): Study => fromYaml(text, origin, parseStudy);

/** Reads a plan that stands in a YAML file of its own, with the keys of a study's `plan`. */
export const readPlan = async (path: string): Promise<StudyPlan> =>
  fromYaml(await readFile(path, 'utf8').catch(failedToBe('read', path)), path, parsePlan);

function fromYaml<Parsed>(
  text: string,
  origin: string,
  parse: (value: unknown, origin: string, lineOf: (path: readonly PropertyKey[]) => number | undefined) => Parsed,
): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true, lineCounter: lines });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const faults = document.errors.map(({ message, pos }) => ({
    sentence: `not YAML: ${message.split('\n')[0]?.replace(/:$/, '')}`,
    line: lineAt(pos[0]),
  }));
  if (faults.length > 0) throw studyError(origin, faults);
  return parse(plainValue(document, origin), origin, (path) => {
    const offset = offsetOf(document, path);
    return offset === undefined ? undefined : lineAt(offset);
  });
}

/** Aliases are resolved only now, and may fail. */
function plainValue(document: Document.Parsed, origin: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ArgumentError(`${origin}: not YAML: ${error instanceof Error ? error.message : error}`);
  }
}

/** Where a key stands in the text, or the innermost one around it that is there; undefined for the document as a whole. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number | undefined {
  let here: unknown = document.contents;
  let offset: number | undefined;
  for (const step of path) {
    const pair = isMap(here)
      ? here.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : undefined;
    const node: unknown = isSeq(here) ? here.items[Number(step)] : pair?.value;
    const place = (pair?.key ?? node) as { readonly range?: readonly number[] | null } | undefined;
    if (place?.range?.[0] === undefined) return offset;
    offset = place.range[0];
    here = node;
  }
  return offset;
}

/** Writes a study as YAML, with lists of numbers on one line. */
export function studyToYaml(study: Study): string {
  const document = new Document(study);
  visit(document, {
    Seq: (_, list) => {
      list.flow = true;
    },
  });
  return document.toString({ flowCollectionPadding: false, lineWidth: 0 });
}

/** Whether a source is a path, and not a bundled name or a note of what is needed. */
export const isPath = (source: string): boolean => !/^(bundled|hf|needs):/.test(source);

/** Resolves a path from a folder (default: the working folder). Other sources stay as they are. */
export const absoluteSource = (source: string, folder = '.'): string =>
  isPath(source) ? resolve(folder, source) : source;

/** What the study still needs, in words, with the option that gives it. */
export const neededBy = ({ model, data }: Pick<Study, 'model' | 'data'>): (readonly [string, string])[] =>
  Object.entries({ model, data: data.source }).flatMap(([key, source]) =>
    source.startsWith('needs:') ? [[key, source.slice('needs:'.length).trim()] as const] : [],
  );

/** Throws if something that the study needs was not given. */
export function checkGiven(study: Study): void {
  const [first] = neededBy(study);
  if (first) throw new ArgumentError(say`the study ${study.name} needs ${first[1]}: give it with ${option(first[0])}`);
}
