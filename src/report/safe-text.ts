// Removes from text what could act on a page or terminal.

/** Control characters, lone surrogates, and characters that change the direction of text. */
const unsafe = /[^\P{Cc}\n\t]|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces unsafe characters by a mark. */
export const safeText = (text: string): string => text.replace(unsafe, '\ufffd');
