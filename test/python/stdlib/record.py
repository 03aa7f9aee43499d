"""Records what CPython 3.11 answers to rows.txt, into recorded.json: python3 test/python/stdlib/record.py

A row has its lines separated by ` ¦ `, and `..` for each indent. The answers are those of ../fuzz/oracle.py, whose texts
of exceptions are compared, too.
"""
import json
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).parent


def program(row):
    def line(text):
        depth = 0
        while text.startswith('..'):
            text, depth = text[2:], depth + 1
        return '    ' * depth + text
    return '\n'.join(line(part) for part in row.split(' ¦ '))


programs = [program(row) for row in (here / 'rows.txt').read_text().split('\n') if row]
oracle = here.parent / 'fuzz' / 'oracle.py'
lines = ''.join(json.dumps(one) + '\n' for one in programs)
answers = subprocess.run([sys.executable, str(oracle)], input=lines, capture_output=True, text=True, check=True, env={'PYTHONHASHSEED': '0'}).stdout.splitlines()
rows = [[one, json.loads(answer)] for one, answer in zip(programs, answers)]
(here / 'recorded.json').write_text('[\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]\n')
print(len(rows), 'rows')
