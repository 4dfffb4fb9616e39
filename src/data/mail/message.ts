// The doorway to postal-mime, which parses messages: folded headers, encoded words, nested parts, transfer encodings,
// charsets.

import PostalMime, { type Email } from 'postal-mime';
import { htmlToText, plainToText } from './html.js';

export interface Message {
  readonly subject: string;
  readonly body: string;
  readonly id: string | undefined;
  /** Identifiers of the messages it answers. */
  readonly answers: readonly string[];
}

const options = { forceRfc822Attachments: true };
const unreadable = '\ufffd';
/** With more unreadable characters than this share, a text is not in a Western language. */
const mostAccents = 0.1;

/** Parses subject and text of a raw message: its plain part, otherwise its HTML part without markup. */
export async function parseMessage(bytes: Uint8Array): Promise<Message> {
  const email = await PostalMime.parse(bytes, options);
  const read = { subject: subjectOf(email), body: bodyOf(email) };
  // Bytes above 127 without a charset are read as UTF-8, and if that fails as windows-1252, unless there are too many.
  if (read.subject.includes(unreadable) || read.body.includes(unreadable)) {
    const western = new TextEncoder().encode(new TextDecoder('windows-1252').decode(bytes));
    const again = await PostalMime.parse(western, options);
    read.subject = better(read.subject, subjectOf(again));
    read.body = better(read.body, bodyOf(again));
  }
  return {
    ...read,
    id: identifiers(email.messageId)[0],
    answers: identifiers(`${email.inReplyTo ?? ''} ${email.references ?? ''}`),
  };
}

const subjectOf = ({ subject = '' }: Email): string => repairWindows(subject);

const bodyOf = ({ text = '', html = '' }: Email): string =>
  repairWindows(/\p{L}/u.test(text) ? plainToText(text.replace(/\r\n?/g, '\n')) : htmlToText(html));

// Windows-1252 from 0x80 to 0x9f. Some versions of Node decode it as ISO 8859-1, which has control characters there.
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const repairWindows = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (character) => windows[character.charCodeAt(0) - 0x80] as string);

function better(first: string, second: string): string {
  const failures = first.split(unreadable).length - 1;
  return failures > 0 && failures <= mostAccents * first.length ? second : first;
}

const identifiers = (header = ''): string[] => header.match(/<[^<>\s]+>/g) ?? [];
