const fs = require('fs')
const { read } = require('./read.cjs')
fs.existsSync = () => 'patched'
Object.assign(require('node:path'), { own: 'added' })
console.log(read(), require('node:fs') === fs, require('path').own)
