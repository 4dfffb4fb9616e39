// A study on models and data of the Hugging Face Hub names them by commit: its results say what was measured, and every process reads the
// same files, which are in the cache by then.

import { findAttack } from '../../attacks/index.js';
import { placeDataSet } from '../../data/index.js';
import { placeModel } from '../../models/index.js';
import { type DownloadProgress, isHubSource } from '../../platform/index.js';
import type { AttackSettings, Study } from './study.js';

type OnDownload = (progress: DownloadProgress) => void;

/** Downloads what the study names on the Hub, and puts commits for branches and tags. */
export async function pinStudy(study: Study, onProgress?: OnDownload): Promise<Study> {
  const { source } = study.data;
  const attacks: [string, AttackSettings][] = [];
  for (const [name, settings] of Object.entries(study.attacks))
    attacks.push([name, await pinModels(name, settings, onProgress)]);
  return {
    ...study,
    model: await pinModel(study.model, onProgress),
    data: { ...study.data, source: isHubSource(source) ? (await placeDataSet(source, { onProgress })).source : source },
    attacks: Object.fromEntries(attacks),
  };
}

const pinModel = async (source: string, onProgress: OnDownload | undefined): Promise<string> =>
  isHubSource(source) ? (await placeModel(source, { onProgress })).source : source;

/** Options of attacks may name models too. */
async function pinModels(
  attack: string,
  settings: AttackSettings,
  onProgress: OnDownload | undefined,
): Promise<AttackSettings> {
  const { options } = findAttack(attack);
  const seen: [string, unknown][] = [];
  for (const [key, value] of Object.entries(settings)) {
    seen.push([
      key,
      options[key]?.type === 'model' && typeof value === 'string' ? await pinModel(value, onProgress) : value,
    ]);
  }
  return Object.fromEntries(seen) as AttackSettings;
}
