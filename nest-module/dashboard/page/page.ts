import { BASE_STYLE } from './base-style.js';
import { CLIENT_PARTS } from './client/parts.js';
import { BODY } from './body.js';
import { SECTION_STYLE } from './section-style.js';

/** What differs from page to page. */
export interface PageFacts {
  readonly token: string;
  readonly isOperable: boolean;
  readonly hasHistory: boolean;
}

export const STYLE = `${BASE_STYLE}${SECTION_STYLE}`;

/** The script of the page: its parts in one scope, with the types that they have in comments. */
export const CLIENT_SOURCE = `(() => {\n'use strict';\n${CLIENT_PARTS.join('\n')}\n})();\n`;

/** As it is sent. */
export const CLIENT = CLIENT_SOURCE.replace(/\/\*\*[^]*?\*\/ ?/g, '').replace(/\n\s*\n/g, '\n');

/** The page. It holds nothing of the application: what it shows comes later, as data. */
export function htmlOf({ token, isOperable, hasHistory }: PageFacts): string {
  return `<!doctype html>
<html lang="en" data-token="${token}" data-operable="${isOperable}" data-history="${hasHistory}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Resilience</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
${BODY}
<script>${CLIENT}</script>
</html>
`;
}
