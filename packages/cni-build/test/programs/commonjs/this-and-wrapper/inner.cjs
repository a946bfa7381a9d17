exports.isExports = this === exports
exports.args = typeof arguments
exports.main = require.main === module
