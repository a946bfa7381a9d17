const a = require('./a.cjs')
console.log(a.name, a.early, a.b.name, a.b.seen)
