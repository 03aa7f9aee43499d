const { stripTypeScriptTypes } = require('node:module');

// Jest runs what `node` itself runs: the same type stripping, nothing compiled
// (docs/adr/0002-node-and-typescript.md).
module.exports = {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
};
