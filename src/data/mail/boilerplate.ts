// Removes what mail programs, mailing lists and filters add around a message.

const signedStart = /^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[^\n]+\n)*/gm;
const armour =
  /^-----BEGIN PGP (SIGNATURE|PUBLIC KEY BLOCK|MESSAGE)-----$[\s\S]*?(?:^-----END PGP \1-----$|$(?![\s\S]))/gm;
const sponsor = /^-+ Yahoo! Groups Sponsor -+~-->$[\s\S]*?^-+~->$/gm;

/** Removes blocks that may stand anywhere: PGP signatures and keys, advertisements of the list's host. */
export const withoutBlocks = (text: string): string =>
  text.replace(signedStart, '').replace(armour, '').replace(sponsor, '');

const header =
  /^\s*(?:URL|Date|From|Sent|To|Cc|Subject|Old-Subject|Sender|Priority|Status|User-Agent|(?:In-)?Reply-To|References|Organi[sz]ation|Message-ID|Mime-Version|Received|(?:Content|X|List|Resent)-[\w-]+):/i;
const filterReport = /^SPAM:/;
const boundary = /^--[\w=.-]{16,}$/;
const reference = /^\s*\[\d+\]:?\s*(?:https?|ftp|mailto):\S*\s*$/;
const dropped = [header, filterReport, boundary, reference];

/** Removes header lines of forwarded mail, a spam filter's report, left-over part boundaries and lists of links. */
export const withoutMachineLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !dropped.some((pattern) => pattern.test(line)))
    .join('\n');

const signature = /^(?:- )?--\s*$/;
const footerStart = /^(?:This sf\.net email is sponsored|To unsubscribe from this group|Your use of Yahoo! Groups)/i;
const rule = /^\s*([-_=*])\1{9,}\s*$/;
const longestFooter = 12;

/** Cuts off the end of a message: a signature, the list's footer, an advertisement of the mail service. */
export function withoutFooters(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((_, index) => startsFooter(lines, index));
  return (end === -1 ? lines : lines.slice(0, end)).join('\n');
}

function startsFooter(lines: readonly string[], index: number): boolean {
  const line = lines[index] as string;
  if (footerStart.test(line)) return true;
  const isSignature = signature.test(line);
  if (!isSignature && !rule.test(line)) return false;
  const rest = lines.slice(index + 1).filter(hasWords);
  const short = rest.length <= longestFooter;
  if (isSignature) return short || lines.slice(0, index).some(hasWords);
  return short && rest.some((text) => /https?:|@/.test(text));
}

const hasWords = (line: string): boolean => /\p{L}/u.test(line);
