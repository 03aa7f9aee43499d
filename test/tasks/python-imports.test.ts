import { describe, expect, test } from '@jest/globals';
import { processorTime } from '../harness/time/processor-time.ts';
import { importsOfTask } from '../../src/tasks/python-imports.ts';

describe('the imports of a program', () => {
  test('leave out modules whose file it names', () => {
    const needed = 'open("a.py")\n# lib/b/c.py d_py e .py\nimport a, b, c, d, e, py';
    expect(modulesOf(needed)).toEqual(['b', 'd', 'e', 'py']);
  });

  test('have modules whose submodule only begins like the end of a file', () => {
    const source = 'import matplotlib.pyplot as plt\nfrom pyarrow.pyarrow_util import x\n';
    expect(modulesOf(source)).toEqual(['matplotlib', 'pyarrow']);
  });

  test('leave out what is behind the end of the program, and not what is behind a condition', () => {
    expect(modulesOf('import a\nraise SystemExit\nimport b')).toEqual(['a']);
    expect(modulesOf('import a; raise SystemExit; import b')).toEqual(['a']);
    expect(modulesOf('if x:\n  raise SystemExit\nimport b\ndef f(): raise x\nimport c')).toEqual([
      'b',
      'c',
    ]);
    expect(modulesOf('try:\n  raise ValueError\nexcept ValueError: pass\nimport b')).toEqual(['b']);
    expect(modulesOf('raised = 1\nimport b')).toEqual(['b']);
  });

  test.each([
    'sys.exit()',
    'sys.exit(main(\n  x))',
    'exit(0)',
    'quit()',
    'os._exit(1)',
    'import sys; sys . exit(); import c',
    'raise SystemExit',
  ])('leave out what is behind the end of the program: %j', (end) => {
    expect(modulesOf(`import a\n${end}\nimport b`)).not.toContain('b');
  });

  test.each([
    'sys.exit',
    'sys.exit(1) if x else None',
    'sys.exit(1) and x',
    'exit = 1',
    'exits()',
    'this.exit()',
    'def quit(): pass\nquit()',
    'sys.exitcode(1)',
    'if x:\n  sys.exit(1)',
    'def f():\n  exit()',
    'try:\n  sys.exit()\nexcept SystemExit: pass',
    '"""\nsys.exit()\n"""',
    'print("sys.exit()")  # exit()',
  ])('have what is behind anything else: %j', (head) => {
    expect(modulesOf(`import a\n${head}\nimport b`)).toContain('b');
  });

  test.each([
    ['from sys import argv, (\n  exit)', 'of something else of sys'],
    ['print("see pip docs")', 'a word in a string'],
    ['"""Install it with\npip install numpy\nor conda."""', 'a word in its description'],
    ['pip = conda = 1\npipe(pip)', 'a name'],
    ['import subprocess\nprint("no pip here")', 'a sentence beside a command'],
    ['print("os.chdir(x)")  # sys.path.append(y)', 'code in a string or a comment'],
    ['x = numpy/2', 'a division'],
    ['url = "https://github.com/numpy/numpy/"', 'the URL of a string'],
    ['# https://github.com/numpy/numpy and lib/numpy/', 'a comment'],
    ['"""Works with numpy/scipy."""', 'a sentence'],
    ['COLAB = "google.colab" in sys.modules\nprint(sys.path)', 'a look at sys'],
    ['import subprocess\nsubprocess.run(["ls"])\nplot("uv")', 'a plane'],
    ['import subprocess\nsubprocess.run(["conda", "env", "list"])', 'a list of environments'],
    ['import platform\nplatform.system()\nprint("first pip install x")', 'the name of the system'],
  ])('are needed after %j: %s', (head) => {
    expect(modulesOf(`${head}\nimport numpy`)).toContain('numpy');
  });

  test.each([
    ['from sys import path\npath.append("lib")'],
    ['from sys import (argv,\n  modules)'],
    ['from sys import *'],
    ['import sys\nsys.path_hooks.append(hook)'],
    ['import sys\nsys . path += ["lib"]'],
    ['import os\nos.chdir("lib")'],
    ['from pip import main'],
    ['import subprocess, sys\nsubprocess.run([sys.executable, "-m", "pip", "install", "numpy"])'],
    ['import os\nos.system("pip install numpy")'],
    ['import os, sys\nos.system(f"{sys.executable} -m pip install numpy")'],
    ['import os\nos.system("cd /tmp && pip install numpy")'],
    ['import os\nos.system("yes | pip install numpy")'],
    ['import subprocess\nsubprocess.run("PIP_INDEX_URL=x pip install numpy", shell=True)'],
    ['import subprocess as s\ns.run(["bash", "-c", "source env/bin/activate; pip install numpy"])'],
    ['import subprocess\nsubprocess.run("""set -e\ncd x\npip -q install numpy\n""", shell=True)'],
    ['from os import system; system("pip install numpy")'],
    ['import asyncio\nasyncio.create_subprocess_shell("pip install numpy")'],
    ['import subprocess\nsubprocess.run(["/opt/bin/conda", "install", "numpy"])'],
    ['import os\nos.system("uv pip install numpy")'],
    ['import os, pip\npip.main()'],
    ['import shutil\nshutil.copytree("/data/my libs/numpy/", "numpy")'],
    ['open("numpy.py", "w").close()'],
    ['os.makedirs("lib/numpy/core")'],
    ['import os\nos.system("tar x code/numpy/")'],
    ['urlretrieve("https://example.org/numpy.py")'],
  ])('may be there after %j', (head) => {
    expect(modulesOf(`${head}\nimport numpy`)).not.toContain('numpy');
  });

  // Each module in the text, one after the other, would take 8 s; nobody else is served meanwhile.
  test.each([
    ['imports', Array.from({ length: 20_000 }, (_, n) => `import m${n}`).join('\n'), 20_000],
    ['files', `import m\n${'a.py/'.repeat(190_000)}`, 1],
    ['folders', `import m\nx = "${'a/'.repeat(490_000)}"`, 1],
    ['starts of commands', `import m\n!${'-m pip list '.repeat(80_000)}`, 1],
    ['quotes', `import m\n${String.raw`\"""`.repeat(240_000)}`, 1],
    ['spaces', `import m\nfrom${' '.repeat(900_000)}sys`, 2],
    ['imports of sys', `import m\n${'from sys import a('.repeat(50_000)}`, 2],
    ['words of programs', `import m\n${'subprocess'.repeat(90_000)}`, 1],
    ['systems', `import m\nx.system(\n${'system '.repeat(130_000)}`, 1],
    ['strings of commands', `import m\nos.system("${'=pip -a'.repeat(130_000)}")`, 1],
    ['spaces of commands', `import m\nos.system("pip${' '.repeat(900_000)}")`, 1],
    ['brackets of commands', `import m\n!${';('.repeat(450_000)}`, 1],
    ['paths of commands', `import m\n!${';a/b'.repeat(220_000)}`, 1],
    ['imports in a line', `import m\n${'import a,b,'.repeat(80_000)}`, 4],
    ['long names', `import m\n${`${'x'.repeat(200)}/`.repeat(4900)}`, 1],
  ])('are found soon among many %s', (_what, source, count) => {
    const begun = processorTime();
    expect(modulesOf(source)).toHaveLength(count);
    expect(processorTime() - begun).toBeLessThan(4000);
  });
});

function modulesOf(text: string): readonly string[] {
  const program = { kind: 'inline', text } as const;
  const { needs } = importsOfTask({ type: 'python-program', program, arguments: [] });
  return needs.map(({ module }) => module);
}
