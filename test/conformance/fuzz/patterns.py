"""Keys that nobody wrote, and what Python's `re` makes of them: python3 patterns.py SEED COUNT > patterns.jsonl

Each line is {pattern, error} or {pattern, matches: {text: whether `re.match` matches}}; `read-patterns.ts` compares.
"""

import json
import random
import re
import sys
import warnings

warnings.simplefilter("ignore")
PARTS = (
    r"a b c . .* .+ a? b* (a|b) (?:ab) [ab] [^a] [a-c] \d \w \s \D \W [\w-] [\W] [^\Wa] \b \B ^ $ \A \Z \. \+ - / a++ b*+ (?:ab)?+ "
    r"(?>a|ab) a{2} a{1,2} b{,2} {a} {2 (?P<n>a) (?P=n) \1 \2 (?=a) (?!b) (?<=a) (?<!b) (?i:B) (?-i:a) (?s:.) (?#x) | ( ) [ ] + * ? "
    r"{1} {1}+ \x41 \101 \0 é \u00e9 (?x:\ a#) ] } - (a) (.) a.b"
).split(" ")
TEXTS = ["", "a", "b", "ab", "aab", "abab", "B", "A", "aB", "a\nb", "a b", "-/", "aa", "bb", "{a}", "é", "5", "a.b", "c+", "\n", "ba", "{2"]

rnd = random.Random(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    pattern = "".join(rnd.choice(PARTS) for _ in range(rnd.randrange(1, 6)))
    if rnd.random() < 0.15:
        pattern = rnd.choice(["(?i)", "(?s)", "(?m)", "(?x)", "(?a)", "(?is)", "(?i)(?s)", "(?u)"]) + pattern
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        print(json.dumps({"pattern": pattern, "error": str(error)}))
        continue
    print(json.dumps({"pattern": pattern, "matches": {text: compiled.match(text) is not None for text in TEXTS}}))
