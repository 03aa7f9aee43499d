import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding } from '../../vortex/tools/lint.ts';

const RULES: { readonly [code: string]: string } = {
  'rule-file': 'The rule files cannot be used as they are',
  T101: 'What is inherited by default is not abstract',
  T102: 'A tool sets cores but not mem',
  T103: 'A name is not defined where it is used',
  T104: 'A key that TPV does not know',
  T201: 'A destination leaves state behind that TPV carries over to the next one',
};

/** Findings as a SARIF 2.1.0 log, which editors and code hosts show next to the lines. */
export function sarifOf(findings: readonly Finding[]): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'planner lint',
            rules: Object.entries(RULES).map(([id, text]) => ({ id, shortDescription: { text } })),
          },
        },
        results: findings.map(
          ({ severity, code, message, place: { file, line, column }, entity, excerpt }) => ({
            ruleId: code ?? 'rule-file',
            level: severity,
            message: { text: excerpt === undefined ? message : `${message}\n${excerpt}` },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: uriOf(file) },
                  region: { startLine: line, startColumn: column },
                },
                ...(entity !== undefined && { logicalLocations: [{ name: entity }] }),
              },
            ],
          }),
        ),
      },
    ],
  };
}

/** Relative paths stay relative, as code hosts expect. */
function uriOf(file: string): string {
  return file.startsWith('/')
    ? pathToFileURL(resolve(file)).href
    : file.split('/').map(encodeURIComponent).join('/');
}
