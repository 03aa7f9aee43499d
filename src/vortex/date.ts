import { PyClass, PyObject } from '../python/index.ts';

const dateClass = new PyClass('date', [], { module: 'datetime' });

/** A date or time of a YAML file: a value that only has a text, which is what rules do with it (1.3). */
export class PyDate extends PyObject {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }
  get cls(): PyClass {
    return dateClass;
  }
  override str(): string {
    return this.text;
  }
  override repr(): string {
    return `datetime.date(${this.text})`;
  }
}
