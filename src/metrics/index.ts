export { type ClassificationScores, scoreClasses } from './classification.js';
