const { stripTypeScriptTypes } = require('node:module');

// Jest runs the same sources as `node`: types are stripped, nothing is compiled
// (docs/adr/0002-node-and-typescript.md).
module.exports = {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
};
