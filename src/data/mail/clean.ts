// Reduces subject and body to the words a classifier may see. Whatever shows on which list or in which thread a message
// was found, rather than what it says, is dropped.

import { withoutBlocks, withoutFooters, withoutMachineLines } from './boilerplate.js';
import { withoutQuotes } from './quotes.js';

/** The longest text, subject included, in words. */
export const wordLimit = 64;

// 55 % of the ham and 6 % of the spam begin with "Re:", 38 % and 5 % with a list tag such as "[ILUG]": a classifier would
// learn from them how the corpus was collected.
const replyOrList = /^(?:\s|\[[^\]]*\]|\*{3,}SPAM\*{3,}|fwd\b:?|(?:re|fw|aw|sv)(?:\s*\[\d+\]|\^\d+|\(\d+\))?\s*:)+/i;
const history = /\s*(?:\(fwd\)|[([]was\b.*|\[[^\]]*\])\s*$/i;

/** The subject without reply marks, list tags and history. */
export const cleanSubject = (subject: string): string => tidy(subject.replace(replyOrList, '').replace(history, ''));

/** The body without quotes, footers and machine lines, on one line. */
export function cleanBody(body: string): string {
  const steps = [withoutBlocks, withoutQuotes, withoutFooters, withoutMachineLines];
  return tidy(steps.reduce((text, step) => step(text), body));
}

/** Joins the subject and the first words of the body on one line, at most `wordLimit` words. */
export function composeText(subject: string, body: string): string {
  const separator = body !== '' && /[\p{L}\p{N}]$/u.test(subject) ? ': ' : ' ';
  return `${subject}${separator}${body}`.trim().split(' ').slice(0, wordLimit).join(' ');
}

// Links and addresses are replaced by one word each: that there is a link is content, where it leads identifies the
// sender, and a person's address does not belong in a training text.
const link = /<?\b(?:(?:https?|ftp):\/{0,2}|www\.)[^\s<>"']+>?/gi;
const address = /<?(?:mailto:)?[\w.+=-]+@[\w-]+(?:\.[\w-]+)*>?/gi;
// Words in an unknown charset, or in another one than the message declares.
const unreadable = /\S*(?:\ufffd|[\u00a1-\u00ff]{4})\S*/g;
// Names with which the makers of the corpus replaced real ones.
const placeholder = /\b(?:yyyy|zzzz)\w*/gi;
const feedMark = /\[\d+\]|\[IMG:\s*\S*\]?/g;
const longWord = /(?<!\S)[\w-]{9,}(?!\S)/g;
/** Whether a word is a number or code made by a program, such as an order number or the mark of one copy of a spam. */
const isCode = (word: string): boolean =>
  /^\d+$/.test(word) || (word.length >= 12 && /\d/.test(word) && /[a-z]/i.test(word));

function tidy(text: string): string {
  return text
    .normalize('NFC')
    .replace(unreadable, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, (character) => (/\s/.test(character) ? ' ' : ''))
    .replace(feedMark, ' ')
    .replace(link, ' http ')
    .replace(address, ' @ ')
    .replace(placeholder, ' ')
    .replace(longWord, (word) => (isCode(word) ? ' ' : word))
    .replace(/([^\p{L}\p{N}\s!?$])\1{3,}/gu, ' ')
    .replace(/([!?$])\1{3,}/g, '$1$1$1')
    .replace(/\s+/g, ' ')
    .trim();
}
