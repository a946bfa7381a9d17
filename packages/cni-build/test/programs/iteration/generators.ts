function* inner(): Generator<number, string, string> {
  try {
    const got = yield 1
    yield got.length
    return 'done'
  } finally {
    console.log('finally')
  }
}
function* outer() { console.log('result', yield* inner()) }
const all = outer()
console.log(JSON.stringify([all.next(), all.next('abc'), all.next()]))
const stopped = inner()
stopped.next()
console.log(JSON.stringify(stopped.return('early')), stopped[Symbol.toStringTag], Object.prototype.toString.call(inner))
