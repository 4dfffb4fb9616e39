// Removes quotations: replies repeat what they answer, and the repeated lines belong to another message of the thread.

const quoted = /^\s{0,4}(?:[\w+]{0,12}[>|]|--\]|\)\s)/;
const said = /\b(?:wrote|writes|said|says|posted|mentioned|stated|skrev|schrieb|écrit)\b[^.!?]{0,60}$/;
const whoOrWhen = /(?:\d:\d\d|\b(?:19|20)\d\d\b|@).*:\s*$/s;
const attributionStart = /^\W*(?:On|At|In|Quoting|Once|Thus|From|Mon|Tue|Wed|Thu|Fri|Sat|Sun|\d)/;
const longestAttribution = 3;

/** Drops quoted lines with the "On … wrote:" before them, and everything from "Original Message" on. */
export function withoutQuotes(text: string): string {
  const lines: string[] = [];
  let inQuote = false;
  for (const line of text.split('\n')) {
    const isQuote = quoted.test(line);
    if (isQuote && !inQuote) dropAttribution(lines);
    if (!isQuote) lines.push(line);
    inQuote = isQuote || (inQuote && line.trim() === '');
  }
  return cutOriginal(lines.join('\n').replace(looseAttribution, ''));
}

/** Drops "On … wrote:" from the end of the lines before a quotation. */
function dropAttribution(before: string[]): void {
  while (before.at(-1)?.trim() === '') before.pop();
  const paragraph = before.slice(-longestAttribution);
  const lines = paragraph.slice(paragraph.findLastIndex((line) => line.trim() === '') + 1);
  const start = lines.findLastIndex((line) => attributionStart.test(line));
  const candidate = lines.slice(start).join('\n');
  if (said.test(candidate) || whoOrWhen.test(candidate)) before.length -= start === -1 ? 1 : lines.length - start;
}

const looseAttribution = /^(?:On|At)\b[^\n]{0,200}(?:\n[^\n]{1,100})?\b(?:wrote|mentioned|stated|said)\s*:[ \t]*$/gm;
const original =
  /^(?:[ \t]*[-_=8<]{2,}[ \t]*(?:original message|forwarded message|forwarded by|begin forwarded)\b[^\n]*|Begin forwarded message:)$/im;

/** Cuts off a forwarded message, unless nothing else would be left; then only the line that announces it goes. */
function cutOriginal(text: string): string {
  const found = original.exec(text);
  if (found === null) return text;
  const before = text.slice(0, found.index);
  return /\p{L}/u.test(before) ? before : text.slice(found.index + found[0].length);
}
