// The bundled data set of mail, extracted from the corpus once and then read from the cache.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../platform/index.js';
import { cachedRows } from '../cached-rows.js';
import type { DataSet, Example, SplitName } from '../data-set.js';
import { corpusVersion } from './corpus.js';
import type { MailRow } from './extract.js';

/** To be raised with every change that changes a row. */
const cleaningVersion = 2;

const cacheKey = (): string => `mail-${corpusVersion()}-${cleaningVersion}`;
const cachePath = (): string => join(cacheFolder(), `${cacheKey()}.jsonl.gz`);

const loadRows = (): Promise<readonly MailRow[]> =>
  cachedRows(cachePath(), cacheKey(), async () => (await import('./extract.js')).extractMail());

/** The SpamAssassin corpus: ham and spam, split by thread. The first call takes seconds, later ones milliseconds. */
export async function loadMail(): Promise<DataSet> {
  const parts: Record<SplitName, Example[]> = { train: [], validation: [], test: [] };
  const skipped: Partial<Record<SplitName, number>> = {};
  for (const { part, text, label, group } of await loadRows()) {
    if (text === '') skipped[part] = (skipped[part] ?? 0) + 1;
    else parts[part].push({ text, label, group });
  }
  return { name: 'mail', classes: ['ham', 'spam'], splits: parts, skipped };
}

/** Fills the cache where it is empty; the number of messages if it did. */
export async function prepareMail(): Promise<number | undefined> {
  return existsSync(cachePath()) ? undefined : (await loadRows()).length;
}
