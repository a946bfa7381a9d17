exports.lost = true
module.exports = class Thing {}
