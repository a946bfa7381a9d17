function sloppy(a) { a = 2; return [arguments[0], arguments.callee === sloppy, this === globalThis].join() }
undeclared = 'global'
console.log(sloppy(1), globalThis.undeclared, typeof this, this === module.exports, delete Object.freeze([1])[0])
