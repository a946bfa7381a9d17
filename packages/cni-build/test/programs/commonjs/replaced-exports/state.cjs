let count = 0
module.exports = { count, get: () => count, bump() { count++; this.count = count } }
