/**
 * Python that visits every JavaScript object it can reach by properties, prototypes and
 * constructors, and prints forbidden finds, then `SEEN` and the number of objects.
 */
export const WALK = `
import collections, js, pyodide_js, pyodide.code
from pyodide.ffi import JsProxy, JsException, create_proxy, to_js
FORBIDDEN = {"process", "require", "getBuiltinModule", "createRequire", "binding", "dlopen",
             "fetch", "WebSocket", "EventSource", "Worker", "importScripts", "XMLHttpRequest",
             "mainModule", "runInThisContext", "execSync", "readFileSync"}
plain = to_js({"a": 1})
JsObject = plain.constructor
try:
    pyodide_js.mountNodeFS()
except JsException as error:
    thrown = error.js_error
roots = [js, pyodide_js, plain, thrown, create_proxy(print), to_js([1]), to_js(b"x")]
seen, queue = set(), collections.deque([("root", root) for root in roots if isinstance(root, JsProxy)])
while queue and len(seen) < 3000:
    path, thing = queue.popleft()
    if thing.js_id in seen:
        continue
    seen.add(thing.js_id)
    # Python's memory is an array of 50 million names.
    if isinstance(getattr(thing, "byteLength", None), int):
        continue
    try:
        names = list(JsObject.getOwnPropertyNames(thing))
    except BaseException:
        continue
    if len(names) > 2000:
        names = names[:50]
    for name in [*names, "__proto__", "constructor"]:
        try:
            value = getattr(thing, name)
        except BaseException:
            continue
        if name in FORBIDDEN and value is not None:
            print("FOUND", path, name, value)
        if isinstance(value, JsProxy):
            queue.append((path + "." + name, value))
print("SEEN", len(seen))
`;

/**
 * Defines `attempt(name)`: tries every way from Python to a module of Node, and prints `refused` or
 * the result.
 */
export const ATTEMPTS = `
def tried(way, what):
    try:
        print("DONE", way, what())
    except BaseException as error:
        print("refused", way)
def attempt(name):
    tried("process", lambda: js.process.getBuiltinModule("node:" + name))
    tried("require", lambda: js.require(name))
    tried("module", lambda: pyodide_js._module.require(name))
    tried("eval", lambda: pyodide.code.run_js("import('node:" + name + "')"))
    tried("Function", lambda: plain.constructor.constructor("return import('node:" + name + "')")())
    tried("async", lambda: pyodide_js.loadPackage.constructor("return import('node:" + name + "')")())
`;
