// Turns the corpus into labelled rows: messages are parsed, cleaned, grouped into threads and split by thread.

import { createHash } from 'node:crypto';
import type { SplitName } from '../data-set.js';
import { cleanBody, cleanSubject, composeText } from './clean.js';
import { readCorpus } from './corpus.js';
import { parseMessage } from './message.js';
import { groupThreads } from './threads.js';

/** One message, as it is cached. */
export interface MailRow {
  readonly part: SplitName;
  /** 0 ham, 1 spam. */
  readonly label: 0 | 1;
  /** The thread. */
  readonly group: string;
  /** Empty if no words are left. */
  readonly text: string;
}

/** One row per message, in the order of the corpus. */
export async function extractMail(): Promise<MailRow[]> {
  const messages = [];
  for (const { name, spam, bytes } of readCorpus()) {
    const { subject: rawSubject, body, id, answers } = await parseMessage(bytes);
    const subject = cleanSubject(rawSubject);
    const text = composeText(subject, cleanBody(body));
    messages.push({ name, spam, id, answers, subject, text: /\p{L}/u.test(text) ? text : '' });
  }
  const groups = groupThreads(messages);
  return messages.map(({ spam, text }, index) => {
    const group = groups[index] as string;
    return { part: partOf(group), label: spam ? 1 : 0, group, text };
  });
}

/** Assigns a thread to 80 % train, 10 % validation or 10 % test by a hash of its name: the same on every machine. */
export function partOf(group: string): SplitName {
  const share = createHash('sha256').update(group).digest().readUInt32BE() / 2 ** 32;
  if (share < 0.8) return 'train';
  return share < 0.9 ? 'validation' : 'test';
}
