const fs = require('node:fs')
exports.read = () => fs.existsSync('/')
