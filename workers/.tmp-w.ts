import { loadPyodide } from 'pyodide';
const t0: number = performance.now();
const py = await loadPyodide({ });
console.log('loaded', performance.now()-t0, py.version);
console.log(py.runPython('import sys; sys.version'));
console.log(performance.now()-t0);
const n = process.argv[2];
if (n) console.log(py.runPython(`
r=[]
try:
  for i in range(${n}): r.append(bytearray(10**8))
  o='ok'
except MemoryError as e: o='MemoryError after %d'%len(r)
r=None
o`));
import fs from 'node:fs';
console.log(fs.readFileSync('/proc/self/status','utf8').split('\n').filter(l=>/VmPeak|VmRSS|VmData|RssAnon|Threads/.test(l)).join(' '));
