class Even { static [Symbol.hasInstance](n: unknown) { return Number(n) % 2 === 0 } }
console.log((2 as never) instanceof Even, (3 as never) instanceof Even)
class Tagged { get [Symbol.toStringTag]() { return 'Tag' } [Symbol.toPrimitive](hint: string) { return hint === 'number' ? 7 : hint } }
const tagged = new Tagged()
console.log(Object.prototype.toString.call(tagged), `${tagged}`, +(tagged as never), tagged + '')
const bound = Even.bind(null)
console.log((4 as never) instanceof bound, bound.name)
