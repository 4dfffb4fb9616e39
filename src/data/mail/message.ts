// The doorway to postal-mime, which takes a message apart: folded headers, encoded words, parts in parts, transfer
// encodings, charsets.

import PostalMime, { type Email } from 'postal-mime';
import { htmlToText, isHtml } from './html.js';

export interface Message {
  readonly subject: string;
  readonly body: string;
  readonly id: string | undefined;
  /** Identifiers of the messages it answers. */
  readonly answers: readonly string[];
}

const options = { forceRfc822Attachments: true };
const unreadable = '\ufffd';

/** Subject and text of a raw message: its plain part, or its HTML part without markup. */
export async function parseMessage(bytes: Uint8Array): Promise<Message> {
  const email = await PostalMime.parse(bytes, options);
  const read = { subject: email.subject ?? '', body: bodyOf(email) };
  // Bytes above 127 in no charset are read as UTF-8; where that fails they are most often windows-1252.
  if (read.subject.includes(unreadable) || read.body.includes(unreadable)) {
    const western = new TextEncoder().encode(new TextDecoder('windows-1252').decode(bytes));
    const again = await PostalMime.parse(western, options);
    read.subject = better(read.subject, again.subject ?? '');
    read.body = better(read.body, bodyOf(again));
  }
  return {
    ...read,
    id: identifiers(email.messageId)[0],
    answers: identifiers(`${email.inReplyTo ?? ''} ${email.references ?? ''}`),
  };
}

function bodyOf({ text = '', html = '' }: Email): string {
  if (!/\p{L}/u.test(text)) return htmlToText(html);
  return isHtml(text) ? htmlToText(text) : text.replace(/\r\n?/g, '\n');
}

const better = (first: string, second: string): string =>
  first.split(unreadable).length > second.split(unreadable).length ? second : first;

const identifiers = (header = ''): string[] => header.match(/<[^<>\s]+>/g) ?? [];
