/** Texts of the editor. */
export const EDITOR = {
  label: 'The ask as YAML; JSON is YAML, too',
  hint:
    'Tab and Shift+Tab indent; to leave the text, press Escape, then Tab. ' +
    'Control+Space shows what is possible.',
  proposals: 'What is possible here',
  possible: (count: number) =>
    `${count} ${count === 1 ? 'proposal' : 'proposals'}; choose with arrow down and Enter.`,
  notAsk: 'An ask has a task, and the task has a type: an address of a kind of task.',
} as const;
