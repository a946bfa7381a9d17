module.exports = function fn() { return fn.name }
module.exports.extra = 'extra'
