const inner = require('./inner.cjs')
console.log(inner.isExports, inner.args, require.main === module, typeof __filename, typeof __dirname)
console.log(require('./inner.cjs') === inner, module.exports === exports, this === exports, inner.main)
