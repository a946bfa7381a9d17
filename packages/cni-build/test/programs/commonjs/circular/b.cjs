const a = require('./a.cjs')
exports.seen = `${a.early} ${a.name}`
exports.name = 'b'
