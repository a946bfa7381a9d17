class Stack extends Array<number> {
  top() { return this.at(-1) }
}
const stack = Stack.from([1, 2, 3]) as Stack
const mapped = stack.map((x) => x * 2)
console.log(mapped instanceof Stack, (mapped as Stack).top(), mapped.constructor.name)
class Plain extends Array<number> {
  static get [Symbol.species]() { return Array }
}
const plain = Plain.from([1, 2]).filter(() => true)
console.log(plain instanceof Plain, plain.constructor.name, Plain.of(7).length)
