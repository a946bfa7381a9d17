exports.early = 'early'
exports.b = require('./b.cjs')
exports.name = 'a'
