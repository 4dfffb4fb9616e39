export { drawRoc, type RocDrawing } from './charts/roc-file.js';
export { redactResults } from './page/redact.js';
export { type Report, type ReportOptions, renderReport } from './page/report.js';
export { describeResults, type TerminalOptions } from './terminal/terminal.js';
