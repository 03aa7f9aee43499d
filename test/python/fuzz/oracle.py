"""Answers programs as CPython does: one JSON string a line in, one JSON string a line out.

The answer is the repr of the final expression, `Class: text` of the exception that escaped, or `?why` when the program
took too long or too much memory. Started by oracle.ts; sum() is the one of 3.11, as everything else.
"""
import ast
import decimal
import json
import resource
import signal
import sys

resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
sys.setrecursionlimit(400)


class TooLong(BaseException):
    pass


def alarm(*_):
    raise TooLong()


signal.signal(signal.SIGALRM, alarm)


def outcome(source):
    names = {'__name__': 'snippet'}
    decimal.setcontext(decimal.Context())
    try:
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        ending = compile(ast.Expression(last.value), '<fuzz>', 'eval') if last else None
        exec(compile(tree, '<fuzz>', 'exec'), names)
        return repr(eval(ending, names) if ending else None)
    except TooLong:
        return '?time'
    except MemoryError:
        return '?memory'
    except SyntaxError as error:
        return 'SyntaxError: ' + str(error.msg)
    except RecursionError:
        return 'RecursionError: '
    except BaseException as error:
        try:
            return type(error).__name__ + ': ' + str(error)
        except BaseException:
            return type(error).__name__ + ': '


def main():
    import warnings
    warnings.simplefilter('ignore')
    out = sys.stdout
    sys.stdout = open('/dev/null', 'w')
    for line in sys.stdin:
        answer = '?time'
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            try:
                answer = outcome(json.loads(line))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except TooLong:
            pass
        out.write(json.dumps(answer) + '\n')
        out.flush()


main()
