export { redactResults } from './redact.js';
export { type Report, type ReportOptions, writeReport } from './report.js';
export { describeResults, type TerminalOptions } from './terminal.js';
