import type { TaskForm } from '../task.ts';
import { NEEDS } from './parts.ts';

/** How a Python program is asked for; its example needs the standard library alone. */
export const programForm: TaskForm = {
  title: 'Python program',
  schema: {
    type: 'object',
    oneOf: [{ required: ['program'] }, { required: ['source'] }],
    properties: {
      program: {
        type: 'string',
        format: 'uri',
        maxLength: 2000,
        title: 'URL of the program',
        description: 'Where the worker fetches it when the job begins',
      },
      source: { type: 'string', maxLength: 1_000_000, title: 'The program itself' },
      arguments: {
        type: 'array',
        maxItems: 1000,
        items: { type: 'string', maxLength: 10_000 },
        title: 'Arguments',
        description: 'sys.argv[1:]',
      },
      ...NEEDS,
    },
    additionalProperties: false,
  },
  example: () => ({
    source:
      'import sys\n' +
      "with open('squares.csv', 'w') as table:\n" +
      '    for n in range(int(sys.argv[1])):\n' +
      "        print(n, n * n, sep=',', file=table)\n" +
      "print('squares.csv has', sys.argv[1], 'rows')\n",
    arguments: ['10'],
  }),
};
