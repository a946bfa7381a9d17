exports.a = 1
exports.b = function b() { return this === exports }
