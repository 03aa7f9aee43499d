import type { Position } from './token.ts';

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '<<' | '>>' | '&' | '|' | '^' | '@';
export type CompareOperator = '<' | '<=' | '>' | '>=' | '==' | '!=' | 'in' | 'not in' | 'is' | 'is not';

export type Name = { readonly kind: 'name'; readonly id: string; readonly at: Position };
export type Attribute = {
  readonly kind: 'attribute';
  readonly object: Expression;
  readonly name: string;
  readonly at: Position;
};
export type Subscript = {
  readonly kind: 'subscript';
  readonly object: Expression;
  readonly index: Expression;
  readonly at: Position;
};
export type Starred = { readonly kind: 'starred'; readonly value: Expression; readonly at: Position };
export type Sequence = {
  readonly kind: 'list' | 'tuple' | 'set';
  readonly items: readonly Expression[];
  readonly at: Position;
};
export type Lambda = {
  readonly kind: 'lambda';
  readonly parameters: ParameterList;
  readonly body: Expression;
  readonly at: Position;
};
/** `for target in iterable if ...` inside brackets. */
export type Clause = {
  readonly target: Expression;
  readonly iterable: Expression;
  readonly conditions: readonly Expression[];
};
export type Comprehension = {
  readonly kind: 'comprehension';
  readonly of: 'list' | 'set' | 'dict' | 'generator';
  readonly element: Expression;
  /** Of a dict comprehension. */
  readonly value: Expression | undefined;
  readonly clauses: readonly Clause[];
  readonly at: Position;
};
export type Argument =
  | { readonly kind: 'positional' | 'star' | 'doubleStar'; readonly value: Expression }
  | { readonly kind: 'keyword'; readonly name: string; readonly value: Expression };
export type Call = {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly args: readonly Argument[];
  readonly at: Position;
};
export type FStringPart =
  | string
  | {
      readonly value: Expression;
      readonly conversion: 'r' | 's' | 'a' | undefined;
      readonly spec: readonly FStringPart[] | undefined;
    };

export type Expression =
  | Name
  | Attribute
  | Subscript
  | Starred
  | Sequence
  | Lambda
  | Comprehension
  | Call
  | { readonly kind: 'number'; readonly value: number | bigint; readonly isFloat: boolean; readonly at: Position }
  | { readonly kind: 'string'; readonly value: string; readonly at: Position }
  | { readonly kind: 'constant'; readonly value: null | boolean | '...'; readonly at: Position }
  | { readonly kind: 'fstring'; readonly parts: readonly FStringPart[]; readonly at: Position }
  /** A pair without key is `**mapping`. */
  | {
      readonly kind: 'dict';
      readonly pairs: readonly { readonly key: Expression | undefined; readonly value: Expression }[];
      readonly at: Position;
    }
  | {
      readonly kind: 'unary';
      readonly op: '-' | '+' | '~' | 'not';
      readonly operand: Expression;
      readonly at: Position;
    }
  | {
      readonly kind: 'binary';
      readonly op: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly at: Position;
    }
  | {
      readonly kind: 'boolean';
      readonly op: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
      readonly at: Position;
    }
  | {
      readonly kind: 'compare';
      readonly first: Expression;
      readonly rest: readonly { readonly op: CompareOperator; readonly value: Expression }[];
      readonly at: Position;
    }
  | {
      readonly kind: 'conditional';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
      readonly at: Position;
    }
  | {
      readonly kind: 'slice';
      readonly start: Expression | undefined;
      readonly stop: Expression | undefined;
      readonly step: Expression | undefined;
      readonly at: Position;
    }
  | { readonly kind: 'walrus'; readonly target: Name; readonly value: Expression; readonly at: Position }
  | { readonly kind: 'yield'; readonly value: Expression | undefined; readonly at: Position }
  | { readonly kind: 'yieldFrom'; readonly value: Expression; readonly at: Position };

export type Parameter = {
  readonly name: string;
  readonly annotation: Expression | undefined;
  readonly fallback: Expression | undefined;
  readonly at: Position;
};
export type ParameterList = {
  readonly positionalOnly: readonly Parameter[];
  readonly positional: readonly Parameter[];
  readonly star: Parameter | undefined;
  readonly keywordOnly: readonly Parameter[];
  readonly doubleStar: Parameter | undefined;
};

export type FunctionDefinition = {
  readonly kind: 'function';
  readonly name: string;
  readonly parameters: ParameterList;
  readonly returns: Expression | undefined;
  readonly decorators: readonly Expression[];
  readonly body: readonly Statement[];
  readonly at: Position;
};
export type ClassDefinition = {
  readonly kind: 'class';
  readonly name: string;
  readonly bases: readonly Argument[];
  readonly decorators: readonly Expression[];
  readonly body: readonly Statement[];
  readonly at: Position;
};
export type Handler = {
  readonly type: Expression | undefined;
  readonly name: string | undefined;
  readonly body: readonly Statement[];
  readonly at: Position;
};
export type Imported = { readonly name: string; readonly as: string | undefined };
export type WithItem = { readonly context: Expression; readonly target: Expression | undefined };

export type Statement =
  | FunctionDefinition
  | ClassDefinition
  | { readonly kind: 'expression'; readonly value: Expression; readonly at: Position }
  | {
      readonly kind: 'assign';
      readonly targets: readonly Expression[];
      readonly value: Expression;
      readonly at: Position;
    }
  | {
      readonly kind: 'augmented';
      readonly target: Name | Attribute | Subscript;
      readonly op: BinaryOperator;
      readonly value: Expression;
      readonly at: Position;
    }
  | {
      readonly kind: 'annotated';
      readonly target: Expression;
      readonly annotation: Expression;
      readonly value: Expression | undefined;
      readonly at: Position;
    }
  | {
      readonly kind: 'if';
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly at: Position;
    }
  | {
      readonly kind: 'for';
      readonly target: Expression;
      readonly iterable: Expression;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly at: Position;
    }
  | {
      readonly kind: 'while';
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly at: Position;
    }
  | {
      readonly kind: 'try';
      readonly body: readonly Statement[];
      readonly handlers: readonly Handler[];
      readonly otherwise: readonly Statement[];
      readonly last: readonly Statement[];
      readonly at: Position;
    }
  | {
      readonly kind: 'with';
      readonly items: readonly WithItem[];
      readonly body: readonly Statement[];
      readonly at: Position;
    }
  | { readonly kind: 'return'; readonly value: Expression | undefined; readonly at: Position }
  | {
      readonly kind: 'raise';
      readonly value: Expression | undefined;
      readonly cause: Expression | undefined;
      readonly at: Position;
    }
  | {
      readonly kind: 'assert';
      readonly test: Expression;
      readonly message: Expression | undefined;
      readonly at: Position;
    }
  | { readonly kind: 'delete'; readonly targets: readonly Expression[]; readonly at: Position }
  | { readonly kind: 'import'; readonly modules: readonly Imported[]; readonly at: Position }
  | { readonly kind: 'importFrom'; readonly module: string; readonly names: readonly Imported[]; readonly at: Position }
  | { readonly kind: 'global' | 'nonlocal'; readonly names: readonly string[]; readonly at: Position }
  | { readonly kind: 'pass' | 'break' | 'continue'; readonly at: Position };
