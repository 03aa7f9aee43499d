import { PyDict, PyList, repr, str } from '../../python/index.ts';
import type { AmountsText, Clause, ShownTags, TraceStep } from '../decision.ts';
import type { Entity } from '../entity/entity.ts';
import type { Placement } from '../decide/evaluate.ts';
import type { EvaluationEnding } from '../python-view/exceptions.ts';

/** What a job asks for, as a refusal tells it. */
type Demanded = { readonly amounts: AmountsText; readonly job: ShownTags };

/** Collects the steps of a decision, as data. Passed as an argument: rules cannot see it. */
export class Trace {
  readonly steps: TraceStep[] = [];

  add(step: TraceStep): void {
    this.steps.push(step);
  }

  combined(parts: readonly Entity[], result: Entity): void {
    const names = parts.map((part) => `${part.cls.name}(${part.id})`);
    this.add({
      step: 'combined',
      parts: names,
      amounts: amountsText(result),
      scheduling: result.tags.listed(),
    });
  }

  ruleMatched(rule: Entity, condition: string | boolean): void {
    const matched = { amounts: amountsText(rule), scheduling: rule.tags.listed() };
    this.add({ step: 'rule', rule: rule.id, condition: conditionText(condition), matched });
  }

  ruleNotMatched(rule: Entity, condition: string | boolean): void {
    this.add({ step: 'rule', rule: rule.id, condition: conditionText(condition), matched: null });
  }

  resources(entity: Entity): void {
    this.add({ step: 'resources', amounts: amountsText(entity) });
  }

  matched(destination: Entity): void {
    this.add({
      step: 'destination-matched',
      destination: destination.id,
      capacity: capacityText(destination),
    });
  }

  refused(destination: Entity, clauses: readonly Clause[], { amounts, job }: Demanded): void {
    const scheduling = (destination.destination?.tags ?? destination.tags).listed();
    this.add({
      step: 'destination-refused',
      destination: destination.id,
      clauses,
      amounts,
      job,
      scheduling,
    });
  }

  chosen(destination: string, { entity, env, params }: Placement): void {
    const runner = str(entity.destination?.runner ?? null);
    this.add({
      step: 'chosen',
      destination,
      runner,
      amounts: amountsText(entity),
      params: repr(params?.value() ?? new PyDict()),
      env: repr(env?.value() ?? new PyList([])),
    });
  }

  stopped(destination: string, { verdict, tryNext }: EvaluationEnding): void {
    this.add({ step: 'destination-stopped', destination, verdict, tryNext });
  }
}

/** The upper limits of a destination as a trace shows them. */
export function capacityText({ destination }: Entity): AmountsText {
  const accepted = destination?.accepted;
  return {
    cores: str(accepted?.max_accepted_cores ?? null),
    mem: str(accepted?.max_accepted_mem ?? null),
    gpus: str(accepted?.max_accepted_gpus ?? null),
  };
}

/** What every refusal of a job repeats; `job` has evaluated resources. */
export function demandOf(job: Entity): Demanded {
  return { amounts: amountsText(job), job: job.tags.listed() };
}

function amountsText(entity: Entity): AmountsText {
  const { cores, mem, gpus } = entity.amounts;
  return { cores: str(cores), mem: str(mem), gpus: str(gpus) };
}

function conditionText(condition: string | boolean): string {
  return typeof condition === 'string' ? condition : condition ? 'True' : 'False';
}
