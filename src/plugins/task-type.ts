import { isNonEmpty } from '../words/ids.ts';
import { isRecord } from '../words/record.ts';
import { shown, type ParsedTask, type TaskProblem, type TaskType } from '../tasks/task.ts';
import type { TaskPlugin } from './plugin.ts';
import { compileSchema } from './schema.ts';
import { errorText } from '../words/system-error.ts';

/**
 * A plug-in's task as a task type: its spec is checked by the schema and adapted, and the built-in
 * type that the plug-in names reads the result.
 *
 * @param builtIn finds a built-in type by its URI
 * @throws Error if the schema is invalid
 */
export function taskTypeOf(
  plugin: TaskPlugin,
  builtIn: (uri: string) => TaskType | undefined,
): TaskType {
  const check = compileSchema(plugin.schema);
  return {
    name: plugin.name,
    uri: plugin.type,
    aliases: plugin.aliases ?? [],
    form: {
      title: plugin.title ?? plugin.name,
      schema: plugin.schema,
      example: () => plugin.example,
    },
    parse: (spec, policy, sources) => {
      const faults = check(spec);
      if (faults.length > 0) return refused(...faults.map(({ key, text }) => about(key, text)));
      if (!isRecord(spec)) return refused(about('', 'it must be a mapping'));
      try {
        const { type, spec: adapted } = plugin.adapt(spec);
        const target = builtIn(type);
        if (target === undefined)
          return refused(
            about(
              '',
              `the plug-in ${plugin.name} gives a task of type ${shown(type)}, which is not built in`,
            ),
          );
        const parsed = target.parse(adapted, policy, sources);
        if (!parsed.ok)
          return refused(
            ...parsed.problems.map(({ text, ...problem }) => ({
              ...problem,
              at: '',
              text: `as ${plugin.name} reads it: ${text}`,
            })),
          );
        return {
          ok: true,
          task: parsed.task,
          plugin: { name: plugin.name, tool: shown(plugin.toolName?.(spec) ?? plugin.name), spec },
        };
      } catch (error) {
        return refused(about('', shown(errorText(error))));
      }
    },
  };
}

function refused(...problems: readonly TaskProblem[]): ParsedTask {
  if (isNonEmpty(problems)) return { ok: false, problems };
  throw new Error('a plug-in refused a task without a reason');
}

function about(key: string, text: string): TaskProblem {
  return { at: shown(key), code: 'task-spec-invalid', text };
}
