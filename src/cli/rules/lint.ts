import { errorOf, lint as lintRules } from '../../vortex/tools/lint.ts';
import type { Finding, LintReport } from '../../vortex/tools/lint.ts';
import type { RuleSource } from '../../vortex/index.ts';
import { logRefusal } from './loaded.ts';
import { openRulesLog } from './log.ts';
import type { Log } from './log.ts';
import { sarifOf } from './sarif.ts';
import { readSources, Unreadable } from '../terminal.ts';
import type { RulesCommand, Terminal } from '../terminal.ts';
import { Misused, readWords } from '../words.ts';

const OPTIONS = {
  ignore: { type: 'string' },
  // There is no generated code to preserve; scripts for TPV may pass the option.
  'preserve-temp-code': { type: 'boolean' },
  format: { type: 'string', default: 'text' },
} as const;

/**
 * `planner lint [-v...] [--ignore T101,...] [--format text|json|sarif] FILE...`: TPV's lint.
 * @returns 1 for errors
 */
export const lintCommand: RulesCommand = async (words, terminal) => {
  const { values, files, verbosity } = readWords(words, OPTIONS);
  if (!['text', 'json', 'sarif'].includes(values.format))
    throw new Misused(`--format must be text, json or sarif, not '${values.format}'`);
  const ignored = new Set((values.ignore ?? '').split(',').map((code) => code.trim()));
  const log = openRulesLog(terminal, verbosity);
  try {
    const sources = await readSources(terminal, files);
    const report = lintRules(sources, ignored);
    if (values.format === 'text') return tell(report, sources, log);
    const findings = report.kind === 'linted' ? report.findings : report.problems.map(errorOf);
    return print(findings, values.format, terminal);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const place = { file: files[0] ?? '', line: 1, column: 1 };
    if (values.format !== 'text')
      return print(
        [{ severity: 'error', code: null, message: error.message, place }],
        values.format,
        terminal,
      );
    return fail(error.message, log);
  }
};

function print(findings: readonly Finding[], format: string, { out }: Terminal): number {
  const flat = findings.map(({ place, ...finding }) => ({ ...place, ...finding }));
  out(`${JSON.stringify(format === 'json' ? flat : sarifOf(findings), null, 2)}\n`);
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function tell(report: LintReport, sources: readonly RuleSource[], log: Log): number {
  if (report.kind === 'unreadable') {
    logRefusal(log, report.problems, sources);
    return fail(report.problems.map((problem) => shown(errorOf(problem), sources)).join('\n'), log);
  }
  for (const finding of report.findings) {
    const isPlaced = finding.severity === 'error' && finding.excerpt !== undefined;
    if (finding.severity === 'error')
      log('ERROR', 'commands.linter', isPlaced ? shown(finding, sources) : finding.message);
    else log('WARNING', 'commands.linter', warned(finding));
  }
  const isFailed = report.findings.some(({ severity }) => severity === 'error');
  log('INFO', 'commands.shell', isFailed ? 'lint failed.' : 'lint successful.');
  return isFailed ? 1 : 0;
}

function fail(message: string, log: Log): number {
  log('ERROR', 'commands.linter', `Linting failed due to syntax errors in yaml file: ${message}`);
  log('INFO', 'commands.shell', 'lint failed.');
  return 1;
}

/** A finding with its place and its line, with a caret below. */
function shown({ place, message, excerpt }: Finding, sources: readonly RuleSource[]): string {
  const text =
    excerpt ??
    excerptOf(
      sources.find(({ name }) => name === place.file)?.text.split('\n')[place.line - 1] ?? '',
      place.column,
    );
  return `${placed(place, message)}\n${text.replaceAll(/^/gm, '    ')}`;
}

function excerptOf(line: string, column: number): string {
  const text = line.trimStart();
  return `${text.trimEnd()}\n${' '.repeat(Math.max(column - 1 - (line.length - text.length), 0))}^`;
}

function placed({ file, line, column }: Finding['place'], message: string): string {
  return `${file}:${line}:${column}: ${message}`;
}

/** A warning; TPV's own codes T101 and T102 keep its text. */
function warned({ code, message, place }: Finding): string {
  return code === 'T101' || code === 'T102' || place.file === ''
    ? `${code ?? ''}: ${message}`
    : `${code ?? ''}: ${placed(place, message)}`;
}
