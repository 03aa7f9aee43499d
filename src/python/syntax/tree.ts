import type { BinaryOp } from '../objects/object.ts';
import type { TokenPosition } from './token.ts';

export type CompareOperator =
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | 'in'
  | 'not in'
  | 'is'
  | 'is not';

export type Name = { readonly kind: 'name'; readonly id: string; readonly at: TokenPosition };
export type Attribute = {
  readonly kind: 'attribute';
  readonly object: Expression;
  readonly name: string;
  readonly at: TokenPosition;
};
type Subscript = {
  readonly kind: 'subscript';
  readonly object: Expression;
  readonly index: Expression;
  readonly at: TokenPosition;
};
type Starred = { readonly kind: 'starred'; readonly value: Expression; readonly at: TokenPosition };
type Sequence = {
  readonly kind: 'list' | 'tuple' | 'set';
  readonly items: readonly Expression[];
  readonly at: TokenPosition;
};
type Lambda = {
  readonly kind: 'lambda';
  readonly parameters: ParameterList;
  readonly body: Expression;
  readonly at: TokenPosition;
};
/** `for target in iterable if ...` inside brackets. */
export type ComprehensionClause = {
  readonly target: Expression;
  readonly iterable: Expression;
  readonly conditions: readonly Expression[];
};
export type Comprehension = {
  readonly kind: 'comprehension';
  readonly of: 'list' | 'set' | 'dict' | 'generator';
  readonly element: Expression;
  /** Only in a dict comprehension. */
  readonly value: Expression | undefined;
  readonly clauses: readonly ComprehensionClause[];
  readonly at: TokenPosition;
};
export type Argument =
  | { readonly kind: 'positional' | 'star' | 'doubleStar'; readonly value: Expression }
  | { readonly kind: 'keyword'; readonly name: string; readonly value: Expression };
export type Call = {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly args: readonly Argument[];
  readonly at: TokenPosition;
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
  | {
      readonly kind: 'number';
      readonly value: number | bigint;
      readonly isFloat: boolean;
      readonly at: TokenPosition;
    }
  | { readonly kind: 'string'; readonly value: string; readonly at: TokenPosition }
  | {
      readonly kind: 'constant';
      readonly value: null | boolean | '...';
      readonly at: TokenPosition;
    }
  | { readonly kind: 'fstring'; readonly parts: readonly FStringPart[]; readonly at: TokenPosition }
  /** A pair without a key is `**mapping`. */
  | {
      readonly kind: 'dict';
      readonly pairs: readonly {
        readonly key: Expression | undefined;
        readonly value: Expression;
      }[];
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'unary';
      readonly op: '-' | '+' | '~' | 'not';
      readonly operand: Expression;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'binary';
      readonly op: BinaryOp;
      readonly left: Expression;
      readonly right: Expression;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'boolean';
      readonly op: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'compare';
      readonly first: Expression;
      readonly rest: readonly { readonly op: CompareOperator; readonly value: Expression }[];
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'conditional';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'slice';
      readonly start: Expression | undefined;
      readonly stop: Expression | undefined;
      readonly step: Expression | undefined;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'walrus';
      readonly target: Name;
      readonly value: Expression;
      readonly at: TokenPosition;
    }
  | { readonly kind: 'yield'; readonly value: Expression | undefined; readonly at: TokenPosition }
  | { readonly kind: 'yieldFrom'; readonly value: Expression; readonly at: TokenPosition };

export type PythonParameter = {
  readonly name: string;
  readonly annotation: Expression | undefined;
  readonly fallback: Expression | undefined;
  readonly at: TokenPosition;
};
export type ParameterList = {
  readonly positionalOnly: readonly PythonParameter[];
  readonly positional: readonly PythonParameter[];
  readonly star: PythonParameter | undefined;
  readonly keywordOnly: readonly PythonParameter[];
  readonly doubleStar: PythonParameter | undefined;
};

export type FunctionDefinition = {
  readonly kind: 'function';
  readonly name: string;
  readonly parameters: ParameterList;
  readonly returns: Expression | undefined;
  readonly decorators: readonly Expression[];
  readonly body: readonly Statement[];
  readonly at: TokenPosition;
};
export type ClassStatement = {
  readonly kind: 'class';
  readonly name: string;
  readonly bases: readonly Argument[];
  readonly decorators: readonly Expression[];
  readonly body: readonly Statement[];
  readonly at: TokenPosition;
};
export type Handler = {
  readonly type: Expression | undefined;
  readonly name: string | undefined;
  readonly body: readonly Statement[];
  readonly at: TokenPosition;
};
export type Imported = { readonly name: string; readonly as: string | undefined };
export type WithItem = { readonly context: Expression; readonly target: Expression | undefined };

export type Statement =
  | FunctionDefinition
  | ClassStatement
  | { readonly kind: 'expression'; readonly value: Expression; readonly at: TokenPosition }
  | {
      readonly kind: 'assign';
      readonly targets: readonly Expression[];
      readonly value: Expression;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'augmented';
      readonly target: Name | Attribute | Subscript;
      readonly op: BinaryOp;
      readonly value: Expression;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'annotated';
      readonly target: Expression;
      readonly annotation: Expression;
      readonly value: Expression | undefined;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'if';
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'for';
      readonly target: Expression;
      readonly iterable: Expression;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'while';
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'try';
      readonly body: readonly Statement[];
      readonly handlers: readonly Handler[];
      readonly otherwise: readonly Statement[];
      readonly last: readonly Statement[];
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'with';
      readonly items: readonly WithItem[];
      readonly body: readonly Statement[];
      readonly at: TokenPosition;
    }
  | { readonly kind: 'return'; readonly value: Expression | undefined; readonly at: TokenPosition }
  | {
      readonly kind: 'raise';
      readonly value: Expression | undefined;
      readonly cause: Expression | undefined;
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'assert';
      readonly test: Expression;
      readonly message: Expression | undefined;
      readonly at: TokenPosition;
    }
  | { readonly kind: 'delete'; readonly targets: readonly Expression[]; readonly at: TokenPosition }
  | { readonly kind: 'import'; readonly modules: readonly Imported[]; readonly at: TokenPosition }
  | {
      readonly kind: 'importFrom';
      readonly module: string;
      readonly names: readonly Imported[];
      readonly at: TokenPosition;
    }
  | {
      readonly kind: 'global' | 'nonlocal';
      readonly names: readonly string[];
      readonly at: TokenPosition;
    }
  | { readonly kind: 'pass' | 'break' | 'continue'; readonly at: TokenPosition };
