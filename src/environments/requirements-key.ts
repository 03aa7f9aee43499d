import { normalisedName } from './normalised-name.ts';
import { parseRequirement, type Requirement } from './requirement.ts';

/** A text that is the same for all ways and orders to write the same requirements. */
export function keyOfRequirements(requirements: readonly string[]): string {
  const texts = requirements.map((text) => {
    const parsed = parseRequirement(text);
    return parsed.ok ? normalised(parsed.requirement) : text;
  });
  return [...new Set(texts)].toSorted().join('\n');
}

function normalised({ text, name, extras, versions }: Requirement): string {
  const wanted = [...new Set(extras.map(normalisedName))].toSorted();
  const bounds = versions.replaceAll(/\s/g, '').split(',').toSorted().join(',');
  const at = text.indexOf(';');
  return [normalisedName(name), wanted, bounds, at < 0 ? '' : text.slice(at + 1).trim()].join(';');
}
