/** Texts of the editor. */
export const EDITOR = {
  label: 'The ask as YAML; JSON is YAML, too',
  check: 'Check only',
  checking: 'Checking …',
  yes: 'It would be a YES. Nothing is held.',
  no: 'It would be a NO:',
  notYaml: 'This cannot be read:',
  notAsk: 'An ask has a task, and the task has a type: an address of a kind of task.',
  line: (line: number) => `Line ${line}`,
} as const;
